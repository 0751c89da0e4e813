// SPDX-License-Identifier: MIT
// LingeringClose: writes the message, and discards what still arrives.
#include "net/lingering_close.h"

#include "net/loop.h"

#include <array>

namespace trunkline::net {

namespace {
/// The number of reads in a row before other connections get their turn.
constexpr int discards_per_turn = 4;
}  // namespace

void LingeringClose::begin(std::unique_ptr<Transport> transport, std::string_view message, ConnectionPermit permit,
                           std::chrono::milliseconds timeout) {
  Loop& loop = transport->loop();
  auto owned = std::unique_ptr<LingeringClose>(new LingeringClose(std::move(transport), message, std::move(permit)));
  LingeringClose& lingering = *owned;
  loop.adopt(std::move(owned));
  loop.timers().schedule(lingering.timeout_, base::deadline_after(loop.now(), timeout));
  lingering.transport_->wait_readable();
  lingering.write_rest();
}

LingeringClose::LingeringClose(std::unique_ptr<Transport> transport, std::string_view message, ConnectionPermit permit)
    : transport_(std::move(transport)),
      message_(message),
      permit_(std::move(permit)),
      timeout_([](base::Timer&, void* self, base::TimePoint) { static_cast<LingeringClose*>(self)->end(); }, this) {
  transport_->set_observer(this);
}

LingeringClose::~LingeringClose() { transport_->close(); }

void LingeringClose::write_rest() {
  while (!message_.empty()) {
    const ByteSpan rest = as_bytes(message_);
    const IoResult result = transport_->write({&rest, 1});
    if (result.state == IoState::would_block) return transport_->wait_writable();
    if (result.state != IoState::ok) return end();
    message_.remove_prefix(result.bytes);
  }
  transport_->shutdown_send();
  if (has_peer_closed_) end();
}

void LingeringClose::on_readable() {
  std::array<std::byte, 16 * 1024> ignored;
  for (int round = 0; round < discards_per_turn; ++round) {
    const MutableByteSpan room(ignored);
    const IoResult result = transport_->read({&room, 1});
    if (result.state == IoState::failed) return end();
    if (result.state == IoState::end_of_stream) {
      // The peer may still read what is left of the message.
      has_peer_closed_ = true;
      if (message_.empty()) end();
      return;
    }
    if (result.state == IoState::would_block) break;
  }
  transport_->wait_readable();
}

/// Destroys this object.
void LingeringClose::end() {
  timeout_.cancel();
  static_cast<void>(transport_->loop().release(*this));
}

}  // namespace trunkline::net
