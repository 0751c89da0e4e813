// SPDX-License-Identifier: MIT
// Reading until wire::detect() has decided.
#include "net/first_bytes.h"

#include <optional>
#include <string>

namespace trunkline::net {

void FirstBytes::read(std::unique_ptr<Transport> transport, std::chrono::milliseconds timeout, base::TimePoint since,
                      Callback callback) {
  Loop& loop = transport->loop();
  loop.house(std::unique_ptr<Resident>(new FirstBytes(std::move(transport), timeout, since, std::move(callback))));
}

FirstBytes::FirstBytes(std::unique_ptr<Transport> transport, std::chrono::milliseconds timeout, base::TimePoint since,
                       Callback callback)
    : transport_(std::move(transport)),
      callback_(std::move(callback)),
      timeout_([](base::Timer&, void* self, base::TimePoint) { static_cast<FirstBytes*>(self)->timed_out(); }, this),
      limit_(timeout) {
  transport_->set_observer(this);
  transport_->wait_readable();
  transport_->loop().timers().schedule(timeout_, base::deadline_after(since, timeout));
}

FirstBytes::~FirstBytes() {
  if (transport_ != nullptr) transport_->close();
}

void FirstBytes::on_readable() {
  while (size_ < bytes_.size()) {
    const MutableByteSpan room = MutableByteSpan(bytes_).subspan(size_);
    IoResult result = transport_->read({&room, 1});
    if (result.state == IoState::would_block) return transport_->wait_readable();
    if (result.state == IoState::failed) return finish(std::move(result.error));
    const bool is_end = result.state == IoState::end_of_stream;
    size_ += result.bytes;
    const ByteSpan bytes = ByteSpan(bytes_).first(size_);
    const std::optional<wire::Protocol> protocol = wire::detect(bytes);
    if (protocol) {
      transport_->set_observer(nullptr);
      return finish(Beginning{std::move(transport_), *protocol, bytes});
    }
    if (is_end) {
      return finish(Status(StatusCode::unavailable,
                           "read from " + transport_->peer().address + ": closed after " + std::to_string(size_) +
                               " bytes, before its protocol was known",
                           StatusOrigin::transport));
    }
  }
}

void FirstBytes::timed_out() {
  finish(Status(StatusCode::unavailable,
                "read from " + transport_->peer().address + ": its protocol was not known within handshake_timeout " +
                    std::to_string(limit_.count()) + " ms",
                StatusOrigin::transport));
}

void FirstBytes::finish(Result<Beginning> result) {
  Loop& loop = result ? result->transport->loop() : transport_->loop();
  timeout_.cancel();
  if (transport_ != nullptr) transport_->close();
  // Destroyed after the callback: the bytes are its own.
  const std::unique_ptr<Resident> self = loop.evict(*this);
  callback_(std::move(result));
}

}  // namespace trunkline::net
