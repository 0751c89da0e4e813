// SPDX-License-Identifier: MIT
// HttpResponse: what the handler of a route answers.
#pragma once

#include <trunkline/detail/export.h>
#include <trunkline/http_request.h>
#include <trunkline/metadata.h>
#include <trunkline/slice.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace trunkline {

struct HttpResponse {
  /// 200 to 599. With 204 and 304 no content is sent.
  std::uint32_t status = 200;
  /// Empty: the response says none.
  std::string content_type = "application/octet-stream";
  /// Sent as it is, never compressed. Large files need no copy: see Block::adopt().
  Slice body{};
  /// Further headers; a name may stand several times. Not those that say how the message is sent: content-length,
  /// transfer-encoding, connection and the like, nor values with line ends or other control characters. A response with
  /// such a header is not sent; the client gets 500, and the server's log tells why.
  Metadata headers{};

  static HttpResponse text(std::string body, std::uint32_t status = 200) {
    return {status, "text/plain; charset=utf-8", Slice::from_string(std::move(body)), {}};
  }
  static HttpResponse html(std::string body, std::uint32_t status = 200) {
    return {status, "text/html; charset=utf-8", Slice::from_string(std::move(body)), {}};
  }
  /// `body` is JSON already.
  static HttpResponse json(std::string body, std::uint32_t status = 200) {
    return {status, "application/json", Slice::from_string(std::move(body)), {}};
  }
  /// 303: the client asks for `location` by GET. 307 and 308 repeat the request there; 308 and 301 are for good.
  static HttpResponse redirect(std::string_view location, std::uint32_t status = 303) {
    HttpResponse response{status, {}, {}, {}};
    response.headers.add("location", location);
    return response;
  }

  /// What a GET or HEAD asks of this response, which has the status 200, by its conditions and its range (RFC 9110,
  /// sections 13 and 14): 304 if the client has it already, 412 if it is not what the client expects, the part that is
  /// wanted with 206, 416 if there is no such part, and otherwise all of it. It is compared by its headers "etag", such
  /// as "\"v1\"" with the quotation marks, and "last-modified", such as "Sun, 06 Nov 1994 08:49:37 GMT". Who asks for
  /// several parts gets all.
  TRUNKLINE_API HttpResponse for_request(const HttpRequest& request) &&;
};

}  // namespace trunkline
