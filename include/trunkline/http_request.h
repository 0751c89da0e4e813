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

/// Immutable. Its views and headers() are those of the call: valid while the handler runs.
class TRUNKLINE_API HttpRequest {
 public:
  /// Of a call: `route` is its method, such as "GET /files/*", `headers` its metadata, and `body` its request. Both
  /// outlive the object. A program makes one to test a handler:
  ///
  ///     const Metadata headers{{"trunkline-request", "GET /files/a%20b?page=2"}, {"accept", "text/html"}};
  ///     const HttpRequest request("GET /files/*", headers, {});
  HttpRequest(std::string_view route, const Metadata& headers, Slice body);

  /// "GET". A route for GET gets "HEAD" too; the content of its response is then not sent.
  std::string_view method() const noexcept { return method_; }
  /// Without the query, decoded. UTF-8 without control characters and without the parts "." and "..".
  const std::string& path() const noexcept { return path_; }
  /// What stands for the '*' of the route; empty without one. It does not begin with a '/' of the route.
  std::string_view rest() const noexcept { return std::string_view(path_).substr(rest_); }
  /// What stands behind the '?', as it came; empty without one.
  std::string_view query() const noexcept { return query_; }
  /// The first value of this name in the query, decoded as those of forms are ('+' is a space). A '%' without two
  /// digits stands for itself. Empty: there is none.
  std::optional<std::string> query_value(std::string_view name) const;
  std::vector<std::string> query_values(std::string_view name) const;
  /// The first header of this name, in upper or lower case; empty without one.
  std::string_view header(std::string_view name) const noexcept;
  /// All headers in their order, and before them "trunkline-request", which is the method and the path as they came.
  /// Names are in lower case. The host that the client names is "host", also of HTTP/2. Headers that are about the
  /// connection or the length of the body are not among them.
  const Metadata& headers() const noexcept { return headers_; }
  /// As it came, also if a header says that it is compressed.
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
