// SPDX-License-Identifier: MIT
// The end of a stream on the server.
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
    // As with trailing metadata, leading metadata that is too large ends the call, unless the handler has failed
    // anyway.
    const bool is_too_large = status.is_ok() && sent.code() == StatusCode::resource_exhausted;
    // The handler has not got all of its requests, whether or not it has noticed.
    const Status& outcome = status.is_ok() ? read_error() : status;
    sent = open->finish(id(), is_too_large ? sent : outcome, {}, trailing, false);
    link()->flush();
  }
  end(Status(StatusCode::cancelled, "use stream: its handler has ended"));
  return sent;
}

}  // namespace call

}  // namespace trunkline
