// SPDX-License-Identifier: MIT
// HttpResponse: turns responses of routes into metadata, and applies the conditions of requests.
#include "http/conditions.h"
#include "session/web/route_fields.h"

#include <trunkline/detail/route_handler.h>

#include <string>
#include <utility>

namespace trunkline {

HttpResponse HttpResponse::for_request(const HttpRequest& request) && {
  HttpResponse& response = *this;
  const bool is_asked = request.method() == "GET" || request.method() == "HEAD";
  if (response.status != 200 || !is_asked) return std::move(response);
  const std::size_t size = response.body.size();
  const http::ConditionalAnswer answer = http::answer_conditions(
      request.method(), request.headers(), response.headers.get("etag").value_or(std::string_view()),
      response.headers.get("last-modified").value_or(std::string_view()), size);
  if (answer.status == 412) return text("412: the response is not what the request expects\n", 412);
  if (answer.status == 416) {
    HttpResponse refused = text("416: the response has " + std::to_string(size) + " bytes\n", 416);
    refused.headers.add("content-range", "bytes */" + std::to_string(size));
    return refused;
  }
  response.status = answer.status;
  if (answer.status == 304) {
    response.content_type.clear();
    response.body = {};
    return std::move(response);
  }
  response.headers.set("accept-ranges", "bytes");
  if (answer.status == 206) {
    const std::string last = std::to_string(answer.offset + answer.size - 1);
    response.headers.set("content-range",
                         "bytes " + std::to_string(answer.offset) + "-" + last + "/" + std::to_string(size));
    response.body = response.body.subslice(answer.offset, answer.size);
  }
  return std::move(response);
}

}  // namespace trunkline

namespace trunkline::detail {

Status store_response(HttpResponse&& response, Slice& body, ServerContext& context) {
  if (response.status != 200) {
    context.add_leading_metadata(session::web::http_status_name, std::to_string(response.status));
  }
  const bool says_type = response.headers.get("content-type").has_value();
  if (!response.content_type.empty() && !says_type) context.add_leading_metadata("content-type", response.content_type);
  for (const auto& [name, value] : response.headers) context.add_leading_metadata(name, value);
  body = std::move(response.body);
  return {};
}

}  // namespace trunkline::detail
