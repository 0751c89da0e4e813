// SPDX-License-Identifier: MIT
// Http1Server: the other end of an Http1ClientSession, as text.
#pragma once

#include "kit/manual_clock.h"
#include "kit/session_end.h"
#include "session/http1/http1_client_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline::session::http1 {

/// Of an event of a client, with its own memory.
struct SeenByClient {
  EventType type{};
  CallId id = 0;
  bool has_message = false;
  std::string payload;
  void* context = nullptr;
  Metadata metadata;
  Status status;
  MessageCredit credit;
};

class Http1Server : private SessionOwner {
 public:
  explicit Http1Server(const SessionOptions& options = kit::plain_options(),
                       web::ClientProtocol protocol = web::ClientProtocol::connect)
      : options_(options),
        session_(
            SessionParameters{
                .role = Role::client, .options = options_, .timers = timers_, .owner = *this, .now = clock_.now()},
            protocol) {
    turn();
    EXPECT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].type, EventType::opened);
    events.clear();
  }

  Http1ClientSession& session() noexcept { return session_; }
  base::TimePoint now() const noexcept { return clock_.now(); }
  /// Called with each event, after it was noted.
  std::function<void(Event&)> on_event;
  std::vector<SeenByClient> events;
  bool was_woken = false;

  /// Begins a call with the message `bytes`.
  CallId start(std::string_view bytes, CallStart start = {}) {
    if (start.method.name.empty()) start.method = {.key = 1, .name = "test/Echo"};
    if (start.context == nullptr && !start.one_way) start.context = &events;
    start.now = clock_.now();
    const Result<CallId> id = session_.start(start, kit::payload(bytes));
    EXPECT_TRUE(id.is_ok()) << id.status().to_string();
    return id.is_ok() ? *id : 0;
  }
  /// Begins a call without a message, which goes on.
  CallId start_stream() {
    CallStart start{.method = {.key = 2, .name = "test/Stream"}, .end = false, .is_stream = true, .context = &events};
    start.codec = &kit::bytes_codec();
    const Result<CallId> id = session_.start(start, {});
    EXPECT_TRUE(id.is_ok()) << id.status().to_string();
    return id.is_ok() ? *id : 0;
  }
  Status send(CallId id, std::string_view bytes, bool end = false) {
    return session_.send(id, kit::payload(bytes), nullptr, end);
  }

  /// Hands the session `bytes` in parts of at most `part`, with a turn after each. Returns those that it has no room
  /// for.
  std::string_view feed(std::string_view bytes, std::size_t part = std::string_view::npos) {
    while (!bytes.empty() && !session_.is_closed()) {
      std::array<MutableByteSpan, 2> room;
      const std::size_t count = session_.prepare_receive(room);
      const std::size_t size = count == 0 ? 0 : std::min({bytes.size(), part, room[0].size()});
      if (size == 0) return bytes;
      std::memcpy(room[0].data(), bytes.data(), size);
      bytes.remove_prefix(size);
      session_.received(size, clock_.now());
      turn();
    }
    return bytes;
  }
  void turn() {
    while (session_.next(event_)) {
      events.push_back({event_.type, event_.id, event_.has_message, std::string(as_text(event_.payload)),
                        event_.context, event_.metadata, event_.status, event_.credit});
      if (on_event) on_event(event_);
    }
  }
  void advance(base::Duration by) {
    clock_.advance(by);
    timers_.advance(clock_.now());
    turn();
  }
  void close_transport(const Status& reason = {}) {
    session_.transport_closed(reason);
    turn();
  }
  /// What the session has sent since the last call, up to `most` bytes.
  std::string sent(std::size_t most = static_cast<std::size_t>(-1)) {
    std::string bytes;
    while (bytes.size() < most) {
      std::array<ByteSpan, 16> spans;
      const std::size_t count = session_.gather(spans);
      std::size_t size = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const ByteSpan part = spans[i].first(std::min(spans[i].size(), most - bytes.size()));
        bytes.append(as_text(part));
        size += part.size();
      }
      if (size == 0) break;
      session_.wrote(size);
    }
    return bytes;
  }
  /// What events have said of a call.
  const Status& status_of(CallId id) const {
    static const Status none(StatusCode::unknown, "the call has not ended");
    const Status* found = &none;
    int ends = 0;
    for (const SeenByClient& event : events) {
      if (event.type != EventType::finished || event.id != id) continue;
      found = &event.status;
      ++ends;
    }
    EXPECT_LE(ends, 1) << "call " << id << " has ended twice";
    return *found;
  }
  /// The messages of a call, each followed by a comma.
  std::string messages_of(CallId id) const {
    std::string messages;
    for (const SeenByClient& event : events) {
      if (event.id == id && event.has_message) messages.append(event.payload).append(",");
    }
    return messages;
  }
  /// Of the first event of that type.
  Metadata metadata_of(EventType type) const {
    for (const SeenByClient& event : events) {
      if (event.type == type) return event.metadata;
    }
    return {};
  }

 private:
  void on_session_wake() noexcept override { was_woken = true; }

  const SessionOptions options_;
  kit::ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  Http1ClientSession session_;
  Event event_;
};

}  // namespace trunkline::session::http1
