// SPDX-License-Identifier: MIT
// Reads how responses end.
#include "session/web/web_outcome.h"

#include "session/web/connect_outcome.h"
#include "session/web/response_facts.h"
#include "session/web/trailers_text.h"

#include <string>
#include <utility>

namespace trunkline::session::web {

Status WebOutcome::take_end(Format format, ByteSpan payload, MetadataReader& reader) {
  if (format == Format::connect_stream) {
    Status said;
    if (Status wrong = read_end_of_stream(payload, reader, said, metadata); !wrong.is_ok()) return wrong;
    status = std::move(said);
    return {};
  }
  TrailersText trailers;
  if (Status wrong = read_trailers_text(as_text(payload), reader, trailers); !wrong.is_ok()) return wrong;
  status = std::move(trailers.outcome);
  metadata = std::move(trailers.metadata);
  pushback = trailers.pushback;
  return {};
}

Status WebOutcome::take_status(bool is_amid_message) {
  if (is_amid_message && (!status || status->is_ok())) {
    return {StatusCode::internal, "receive message: the server ended amid a message", StatusOrigin::transport};
  }
  if (status) return *std::move(status);
  return {StatusCode::internal, "receive: the response does not say how the call has ended", StatusOrigin::transport};
}

Status WebOutcome::read_error(std::optional<ByteSpan> body) const {
  const StatusCode code = code_of_http_status(http_status);
  Status said;
  if (body && read_connect_error(*body, code, said)) return said;
  return {code, "receive message: HTTP status " + std::to_string(http_status) + " without an error of Connect",
          StatusOrigin::transport};
}

}  // namespace trunkline::session::web
