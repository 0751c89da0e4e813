// SPDX-License-Identifier: MIT
// ServerStreamCore: the end of a stream on the server.
#include "call/server_stream_core.h"

namespace trunkline {

detail::StreamPort& detail::port_of(call::ServerStreamCore& stream) noexcept { return stream; }

namespace call {

void ServerStreamCore::on_cancelled(const Status& status) {
  drop_messages();
  end(status.is_ok() ? Status(StatusCode::cancelled, "the caller has gone") : status);
}

Status ServerStreamCore::finish(const Status& status, const Metadata* trailing) {
  drop_messages();
  Status sent;
  session::Session* const open = session();
  if (open != nullptr && !is_over()) {
    owe_leading(settings_.take_leading_metadata());
    if (!owed_leading().empty()) sent = open->send(id(), {}, &owed_leading(), false);
    // Leading metadata that cannot be sent ends the call, as trailing metadata does, unless the handler has failed
    // anyway.
    const bool is_refused = status.is_ok() && session::is_refusal_of_metadata(sent);
    if (!is_refused && session::is_refusal_of_metadata(sent)) settings_.on_metadata_dropped(sent);
    // The handler has not got all of its requests, whether or not it has noticed.
    const Status& outcome = status.is_ok() ? read_error() : status;
    sent = open->finish(id(), is_refused ? sent : outcome, {}, trailing, false);
    link()->flush();
  }
  end(Status(StatusCode::cancelled, "use stream: its handler has ended"));
  return sent;
}

}  // namespace call

}  // namespace trunkline
