// SPDX-License-Identifier: MIT
// Answering, and not listening any more.
#include "net/parting.h"

#include <array>

namespace trunkline::net {

namespace {
/// In a row, before other connections get their turn.
constexpr int reads_per_turn = 4;
}  // namespace

void Parting::begin(std::unique_ptr<Transport> transport, std::string_view answer, Place place,
                    std::chrono::milliseconds timeout) {
  Loop& loop = transport->loop();
  auto owned = std::unique_ptr<Parting>(new Parting(std::move(transport), answer, std::move(place)));
  Parting& parting = *owned;
  loop.house(std::move(owned));
  loop.timers().schedule(parting.timeout_, base::deadline_after(loop.now(), timeout));
  parting.transport_->wait_readable();
  parting.write_rest();
}

Parting::Parting(std::unique_ptr<Transport> transport, std::string_view answer, Place place)
    : transport_(std::move(transport)),
      answer_(answer),
      place_(std::move(place)),
      timeout_([](base::Timer&, void* self, base::TimePoint) { static_cast<Parting*>(self)->end(); }, this) {
  transport_->set_observer(this);
}

Parting::~Parting() { transport_->close(); }

void Parting::write_rest() {
  while (!answer_.empty()) {
    const ByteSpan rest = as_bytes(answer_);
    const IoResult result = transport_->write({&rest, 1});
    if (result.state == IoState::would_block) return transport_->wait_writable();
    if (result.state != IoState::ok) return end();
    answer_.remove_prefix(result.bytes);
  }
  transport_->shutdown_send();
  if (is_peer_done_) end();
}

void Parting::on_readable() {
  std::array<std::byte, 16 * 1024> ignored;
  for (int round = 0; round < reads_per_turn; ++round) {
    const MutableByteSpan room(ignored);
    const IoResult result = transport_->read({&room, 1});
    if (result.state == IoState::failed) return end();
    if (result.state == IoState::end_of_stream) {
      // It may still read what it has not been told yet.
      is_peer_done_ = true;
      if (answer_.empty()) end();
      return;
    }
    if (result.state == IoState::would_block) break;
  }
  transport_->wait_readable();
}

/// Destroys this.
void Parting::end() {
  timeout_.cancel();
  static_cast<void>(transport_->loop().evict(*this));
}

}  // namespace trunkline::net
