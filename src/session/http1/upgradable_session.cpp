// SPDX-License-Identifier: MIT
// Reads the first request, makes the session that serves it, and changes to a WebSocket.
#include "session/http1/upgradable_session.h"

#include "session/websocket/upgrade.h"
#include "session/websocket/websocket_protocol.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

namespace trunkline::session::http1 {
namespace {

/// The session reads at most this many bytes at a time before the decision.
constexpr std::size_t read_bytes = 4 << 10;

}  // namespace

UpgradableSession::UpgradableSession(const SessionParameters& parameters)
    : parameters_(parameters),
      now_(parameters.now),
      reader_({.max_head_bytes = parameters.options.limits.max_header_bytes,
               .max_first_line_bytes = parameters.options.limits.max_header_bytes / 2}),
      memory_share_(parameters.options.memory, parameters.account) {}

UpgradableSession::~UpgradableSession() = default;

std::size_t UpgradableSession::prepare_receive(std::array<MutableByteSpan, 2>& out) {
  // Earlier bytes go first, in next(). The inner session wakes the owner for that once it has room.
  if (inner_ != nullptr) return size_ > 0 ? 0 : inner_->prepare_receive(out);
  bytes_.resize(size_ + read_bytes);
  out[0] = MutableByteSpan(bytes_).subspan(size_);
  return 1;
}

void UpgradableSession::received(std::size_t size, base::TimePoint now) {
  now_ = now;
  if (inner_ != nullptr) return inner_->received(size, now);
  using Outcome = http::http1::RequestReader::Outcome;
  size_ += size;
  const Outcome outcome = reader_.read(as_text(ByteSpan(bytes_).first(size_)));
  if (outcome == Outcome::needs_input) return count_held();
  if (outcome == Outcome::head && websocket::is_asked_for(reader_.head())) {
    become(websocket::protocol().make_session(parameters_));
  } else {
    become_plain();
  }
}

void UpgradableSession::received_nothing() noexcept {
  if (inner_ != nullptr) return inner_->received_nothing();
  if (size_ == 0) bytes_ = std::vector<std::byte>();
  count_held();
}

void UpgradableSession::count_held() noexcept { memory_share_.update(bytes_.capacity()); }

void UpgradableSession::become(std::unique_ptr<Session> session) {
  inner_ = std::move(session);
  static_cast<void>(hand_over());
  if (is_drain_requested_) inner_->drain();
}

/// Makes a session for requests, because what has come does not ask for a WebSocket.
Session& UpgradableSession::become_plain() {
  if (inner_ == nullptr) {
    auto plain = std::make_unique<Http1ServerSession>(parameters_);
    plain_ = plain.get();
    become(std::move(plain));
  }
  return *inner_;
}

/// The session that served the requests has written all responses, and what is left of its input is for the WebSocket.
bool UpgradableSession::upgrade(Event& event) {
  const ByteSpan unread = plain_->unread();
  bytes_.insert(bytes_.begin(), unread.begin(), unread.end());
  size_ += unread.size();
  bytes_before_upgrade_ += plain_->payload_bytes_accepted();
  plain_ = nullptr;
  SessionParameters parameters = parameters_;
  parameters.now = now_;
  become(websocket::protocol().make_session(parameters));
  // Nobody has told the time lately, so that the limit begins with the timer's first call.
  parameters_.timers.schedule(hello_timer_, now_);
  return next(event);
}

void UpgradableSession::on_hello_timer(base::Timer& timer, void* owner, base::TimePoint now) {
  auto& self = *static_cast<UpgradableSession*>(owner);
  if (self.is_open() || self.is_closed()) return;
  const std::chrono::milliseconds limit = self.parameters_.options.limits.handshake_timeout;
  if (!std::exchange(self.is_hello_limited_, true)) {
    return self.parameters_.timers.schedule(timer, base::deadline_after(now, limit));
  }
  self.inner_->close({StatusCode::deadline_exceeded,
                      "handshake: not completed within handshake_timeout " + std::to_string(limit.count()) + " ms",
                      StatusOrigin::transport});
  self.parameters_.owner.on_session_wake();
}

/// Gives the inner session as much as it has room for. Returns false if it has none.
bool UpgradableSession::hand_over() {
  std::size_t given = 0;
  while (given < size_) {
    std::array<MutableByteSpan, 2> room;
    const std::size_t count = inner_->prepare_receive(room);
    std::size_t part = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t size = std::min(room[i].size(), size_ - given - part);
      if (size > 0) std::memcpy(room[i].data(), bytes_.data() + given + part, size);
      part += size;
    }
    if (part == 0) break;
    inner_->received(part, now_);
    given += part;
  }
  size_ -= given;
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(given));
  if (size_ == 0) bytes_ = std::vector<std::byte>();
  count_held();
  return given > 0;
}

/// The inner session has returned all events, and there are bytes left for it.
bool UpgradableSession::next_after_rest(Event& event) {
  while (size_ > 0 && hand_over()) {
    if (inner_->next(event)) return true;
  }
  return false;
}

Result<CallId> UpgradableSession::start(const CallStart&, const OutgoingMessage&) {
  return Status(StatusCode::unimplemented, "start call: a server's connection begins no calls");
}

void UpgradableSession::cancel(CallId id, StatusCode reason) {
  if (inner_ != nullptr) inner_->cancel(id, reason);
}

void UpgradableSession::drain() {
  is_drain_requested_ = true;
  if (inner_ != nullptr) inner_->drain();
}

const Status& UpgradableSession::close_reason() const noexcept {
  static const Status none;
  return inner_ != nullptr ? inner_->close_reason() : none;
}

std::size_t UpgradableSession::held_bytes() const noexcept {
  return bytes_.capacity() + (inner_ != nullptr ? inner_->held_bytes() : 0);
}

}  // namespace trunkline::session::http1
