// SPDX-License-Identifier: MIT
// HttpRequest: a request of HTTP as the handler of a route gets it.
#pragma once

#include <trunkline/detail/export.h>
#include <trunkline/metadata.h>
#include <trunkline/slice.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline {

/// An immutable request. Its views and headers() belong to the call and are valid while the handler runs.
class TRUNKLINE_API HttpRequest {
 public:
  /// Makes the request of a call. `route` is the call's method, such as "GET /files/*", `headers` its metadata, and
  /// `body` its request. `route` and `headers` must outlive the object. A program makes one to test a handler:
  ///
  ///     const Metadata headers{{"trunkline-request", "GET /files/a%20b?page=2"}, {"accept", "text/html"}};
  ///     const HttpRequest request("GET /files/*", headers, {});
  HttpRequest(std::string_view route, const Metadata& headers, Slice body);

  /// Returns "GET" and so on. A route for GET gets "HEAD" too; the content of its response is then not sent.
  std::string_view method() const noexcept { return method_; }
  /// Returns the decoded path without the query: UTF-8, without control characters and the parts "." and "..".
  const std::string& path() const noexcept { return path_; }
  /// Returns what the '*' of the route stands for; empty without a '*'. It does not begin with a '/' of the route.
  std::string_view rest() const noexcept { return std::string_view(path_).substr(rest_); }
  /// Returns the text after the '?', undecoded; empty if there is no '?'.
  std::string_view query() const noexcept { return query_; }
  /// Returns the first value of this name in the query, decoded as those of forms are ('+' is a space). A '%' without
  /// two digits stands for itself. Returns nullopt if there is none.
  std::optional<std::string> query_value(std::string_view name) const;
  std::vector<std::string> query_values(std::string_view name) const;
  /// Returns the first header of this name, which may be in upper or lower case; empty if there is none.
  std::string_view header(std::string_view name) const noexcept;
  /// Returns all headers in their order, and before them "trunkline-request", which is the undecoded method and path.
  /// Names are in lower case. The host that the client names is "host", in HTTP/2 as well. Headers that are about the
  /// connection or the length of the body are not among them.
  const Metadata& headers() const noexcept { return headers_; }
  /// Returns the body unchanged, even if a header says that it is compressed.
  const Slice& body() const noexcept { return body_; }

 private:
  const Metadata& headers_;
  Slice body_;
  std::string_view method_;
  std::string_view query_;
  std::string path_;
  std::size_t rest_ = 0;
};

}  // namespace trunkline
