// SPDX-License-Identifier: MIT
// ProtocolSniffer: reads until the protocol is known, or the time is up.
#include "net/protocol_sniffer.h"

#include "net/loop.h"

#include <string>
#include <utility>

namespace trunkline::net {

void ProtocolSniffer::read(std::unique_ptr<Transport> transport, std::chrono::milliseconds timeout,
                           base::TimePoint since, std::shared_ptr<PendingConnections> pending, IsKnown is_known,
                           Callback callback) {
  Loop& loop = transport->loop();
  auto owned = std::unique_ptr<ProtocolSniffer>(
      new ProtocolSniffer(std::move(transport), timeout, std::move(pending), std::move(is_known), std::move(callback)));
  ProtocolSniffer& sniffer = *owned;
  loop.adopt(std::move(owned));
  sniffer.start(since);
}

ProtocolSniffer::ProtocolSniffer(std::unique_ptr<Transport> transport, std::chrono::milliseconds timeout,
                                 std::shared_ptr<PendingConnections> pending, IsKnown is_known, Callback callback)
    : transport_(std::move(transport)),
      is_known_(std::move(is_known)),
      callback_(std::move(callback)),
      limit_(timeout),
      timeout_([](base::Timer&, void* self, base::TimePoint) { static_cast<ProtocolSniffer*>(self)->timed_out(); },
               this),
      known_([](void* self) { static_cast<ProtocolSniffer*>(self)->succeed(); }, this),
      place_(std::move(pending), *this) {}

ProtocolSniffer::~ProtocolSniffer() {
  if (transport_ != nullptr) transport_->close();
}

void ProtocolSniffer::start(base::TimePoint since) {
  if (is_known_(transport_->peer(), {})) return transport_->loop().defer(known_);
  transport_->set_observer(this);
  transport_->wait_readable();
  transport_->loop().timers().schedule(timeout_, base::deadline_after(since, limit_));
}

void ProtocolSniffer::on_readable() {
  for (;;) {
    const MutableByteSpan room = MutableByteSpan(bytes_).subspan(size_);
    IoResult result = transport_->read({&room, 1});
    if (result.state == IoState::would_block) return transport_->wait_readable();
    if (result.state == IoState::failed) return finish(std::move(result.error));
    size_ += result.bytes;
    if (is_known_(transport_->peer(), bytes()) || size_ == max_bytes) return succeed();
    if (result.state == IoState::end_of_stream) {
      return finish(Status(StatusCode::unavailable,
                           "read from " + transport_->peer().address + ": closed after " + std::to_string(size_) +
                               " bytes, before its protocol was known",
                           StatusOrigin::transport));
    }
  }
}

void ProtocolSniffer::succeed() {
  transport_->set_observer(nullptr);
  finish(SniffResult{std::move(transport_), bytes()});
}

void ProtocolSniffer::timed_out() {
  finish(Status(StatusCode::unavailable,
                "read from " + transport_->peer().address + ": its protocol was not known within handshake_timeout " +
                    std::to_string(limit_.count()) + " ms",
                StatusOrigin::transport));
}

void ProtocolSniffer::finish(Result<SniffResult> result) {
  Loop& loop = result ? result->transport->loop() : transport_->loop();
  timeout_.cancel();
  place_.leave();
  if (transport_ != nullptr) transport_->close();
  // This object is destroyed after the callback, to which the bytes belong until then.
  const std::unique_ptr<LoopOwned> self = loop.release(*this);
  callback_(std::move(result));
}

}  // namespace trunkline::net
