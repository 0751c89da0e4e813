// SPDX-License-Identifier: MIT
// The end of a server's stream.
#include "call/server_stream_core.h"

namespace trunkline::call {

StreamPort& port_of(ServerStreamCore& stream) noexcept { return stream; }

void ServerStreamCore::on_cancelled(const Status& status) {
  drop_messages();
  end(status.is_ok() ? Status(StatusCode::cancelled, "the caller has gone") : status);
}

Status ServerStreamCore::finish(const Status& status, const Metadata* trailing) {
  drop_messages();
  Status sent;
  session::Session* const open = session();
  if (open != nullptr && !is_over()) {
    owe_leading(facts_.take_leading_metadata());
    if (!owed_leading().empty()) sent = open->send(id(), {}, &owed_leading(), false);
    // As for trailing metadata: what is too large ends the call, unless the handler's error says more.
    const bool is_too_large = status.is_ok() && sent.code() == StatusCode::resource_exhausted;
    sent = open->finish(id(), is_too_large ? sent : status, {}, trailing, false);
    link()->flush();
  }
  end(Status(StatusCode::cancelled, "use stream: its handler has ended"));
  return sent;
}

}  // namespace trunkline::call
