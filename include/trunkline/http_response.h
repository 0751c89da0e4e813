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
  /// The status code, from 200 to 599. With 204 and 304 no content is sent.
  std::uint32_t status = 200;
  /// The type of the content. If it is empty, the response names none.
  std::string content_type = "application/octet-stream";
  /// The content, which is sent unchanged and never compressed. Large files need no copy: see Block::adopt().
  Slice body{};
  /// Further headers; a name may occur several times. Headers that say how the message is sent are not allowed
  /// (content-length, transfer-encoding, connection and the like), nor are values with line ends or other control
  /// characters. A response with such a header is not sent; the client gets 500, and the server's log tells why.
  Metadata headers{};

  static HttpResponse text(std::string body, std::uint32_t status = 200) {
    return {status, "text/plain; charset=utf-8", Slice::from_string(std::move(body)), {}};
  }
  static HttpResponse html(std::string body, std::uint32_t status = 200) {
    return {status, "text/html; charset=utf-8", Slice::from_string(std::move(body)), {}};
  }
  /// Makes a response from `body`, which is JSON already.
  static HttpResponse json(std::string body, std::uint32_t status = 200) {
    return {status, "application/json", Slice::from_string(std::move(body)), {}};
  }
  /// Sends the client to `location`: by GET with 303, with the same request by 307 and 308. 301 and 308 are permanent.
  static HttpResponse redirect(std::string_view location, std::uint32_t status = 303) {
    HttpResponse response{status, {}, {}, {}};
    response.headers.add("location", location);
    return response;
  }

  /// Returns what a GET or HEAD asks of this response, which has the status 200, by its conditions and its range (RFC
  /// 9110, sections 13 and 14): 304 if the client has it already, 412 if it is not what the client expects, 206 with
  /// the part that is wanted, 416 if there is no such part, and otherwise all of it. The comparison uses its headers
  /// "etag", such as "\"v1\"" with the quotation marks, and "last-modified", such as "Sun, 06 Nov 1994 08:49:37 GMT". A
  /// client that asks for several parts gets all of it.
  TRUNKLINE_API HttpResponse for_request(const HttpRequest& request) &&;
};

}  // namespace trunkline
