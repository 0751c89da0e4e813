// SPDX-License-Identifier: MIT
// Http1Client: the other end of an Http1ServerSession, as text, with a handler of the test on the session's side.
#pragma once

#include "kit/manual_clock.h"
#include "kit/session_end.h"
#include "session/http1/http1_server_session.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline::session::http1 {

/// The codec "json" whose messages are taken as they are.
struct TextCodec final : Codec {
  std::string_view name() const noexcept override { return "json"; }
  bool supports(const MessageType&) const noexcept override { return true; }
  Status encode(MessageView, BufferWriter&) const override { return {StatusCode::internal, "not used"}; }
  Status decode(const Slice&, MutableMessageView) const override { return {}; }
};

inline const CodecRegistry& text_codecs() {
  static const CodecRegistry codecs = [] {
    CodecRegistry registry;
    registry.add(std::make_shared<TextCodec>());
    return registry;
  }();
  return codecs;
}

/// Of an event, with its own memory.
struct Seen {
  EventType type{};
  CallId id = 0;
  bool has_message = false;
  bool end = false;
  std::string payload;
  std::string method;
  std::uint32_t method_number = 0;
  void* context = nullptr;
  base::TimePoint deadline = base::never;
  Metadata metadata;
  Status status;
  MessageCredit credit;
  bool is_route = false;
  /// "none" without one.
  std::string user_agent = "none";
};

class Http1Client : private SessionOwner {
 public:
  static SessionOptions options() {
    SessionOptions options = kit::plain_options();
    options.codecs = &text_codecs();
    return options;
  }

  explicit Http1Client(const SessionOptions& options = Http1Client::options())
      : options_(options),
        session_(SessionParameters{
            .role = Role::server, .options = options_, .timers = timers_, .owner = *this, .now = clock_.now()}) {}

  Http1ServerSession& session() noexcept { return session_; }
  base::TimePoint now() const noexcept { return clock_.now(); }
  /// Called with each event, after it was noted.
  std::function<void(Event&)> on_event;
  /// What SessionOwner::on_call_begun() returns.
  Status begun;
  std::vector<Seen> events;
  /// What SessionOwner::find_route() finds, by the method of HTTP, a space and the path.
  std::map<std::string, RouteMatch> routes;
  std::uint64_t routes_version_of_owner = 0;
  std::vector<CallId> dropped;
  /// What SessionOwner::on_metadata_dropped() was told.
  std::vector<std::string> metadata_dropped;
  bool was_woken = false;

  static OutgoingMessage text(std::string_view json) {
    return {.codec = text_codecs().find("json"), .payload = Slice::copy_of(json)};
  }
  /// A request with a content of `body`.
  static std::string post(std::string_view path, std::string_view body, std::string_view fields = {}) {
    std::string request = "POST " + std::string(path) + " HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n";
    request.append(fields).append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
    return request.append(body);
  }
  /// Answers each call with its message, as a handler that runs at once.
  void echo_in_place() {
    on_event = [this](Event& event) {
      if (event.type != EventType::call) return;
      static_cast<void>(session_.finish(event.id, {}, text(as_text(event.payload)), nullptr, false));
    };
  }
  /// Attaches each call with a context of its own.
  void attach_all() {
    on_event = [this](Event& event) {
      if (event.type == EventType::call) session_.attach(event.id, &events);
    };
  }

  /// Hands the session `bytes` in parts of at most `part`, with a turn after each. Returns those that it has no room
  /// for.
  std::string_view feed(std::string_view bytes, std::size_t part = std::string_view::npos) {
    while (!bytes.empty() && !session_.is_closed()) {
      const std::size_t size = hand_over(bytes.substr(0, part));
      if (size == 0) return bytes;
      bytes.remove_prefix(size);
      turn();
    }
    return bytes;
  }
  /// As much of `bytes` as the session has room for in one read, without a turn. Returns how many.
  std::size_t hand_over(std::string_view bytes) {
    std::array<MutableByteSpan, 2> room;
    const std::size_t count = session_.prepare_receive(room);
    const std::size_t size = count == 0 ? 0 : std::min(bytes.size(), room[0].size());
    if (size == 0) return 0;
    std::memcpy(room[0].data(), bytes.data(), size);
    session_.received(size, clock_.now());
    return size;
  }
  void turn() {
    while (step()) continue;
  }
  /// One event of a turn. False: there is none.
  bool step() {
    if (!session_.next(event_)) return false;
    events.push_back({event_.type, event_.id, event_.has_message, event_.end, std::string(as_text(event_.payload)),
                      std::string(event_.method_name), event_.method_number, event_.context, event_.deadline,
                      event_.metadata, event_.status, event_.credit, event_.is_route,
                      event_.user_agent == nullptr ? "none" : **event_.user_agent});
    if (on_event) on_event(event_);
    return true;
  }
  void advance(base::Duration by) {
    clock_.advance(by);
    timers_.advance(clock_.now());
    turn();
  }
  /// What the session has sent since the last call, at most so much.
  std::string sent(std::size_t most = std::string::npos) {
    std::string bytes;
    for (;;) {
      std::array<ByteSpan, 16> spans;
      const std::size_t count = session_.gather(spans);
      const std::size_t before = bytes.size();
      for (std::size_t i = 0; i < count; ++i)
        bytes.append(as_text(spans[i].first(std::min(spans[i].size(), most - bytes.size()))));
      if (bytes.size() == before) return bytes;
      session_.wrote(bytes.size() - before);
    }
  }
  /// The first line of what has been sent since the last call, without what the version of HTTP is.
  std::string sent_status() {
    const std::string bytes = sent();
    return bytes.substr(0, bytes.find('\r'));
  }
  const Seen& last() const { return events.back(); }

 private:
  void on_session_wake() noexcept override { was_woken = true; }
  std::uint64_t routes_version() const noexcept override { return routes_version_of_owner; }
  RouteMatch find_route(std::string_view http_method, std::string_view path) override {
    const auto found = routes.find(std::string(http_method).append(" ").append(path));
    return found != routes.end() ? found->second : RouteMatch();
  }
  std::string_view http_methods_of(std::string_view method) override {
    return method == "Absent" ? "" : method == "Pure" ? "GET, POST" : "POST";
  }
  Status on_call_begun(Event&) override { return begun; }
  void on_call_dropped(CallId id) noexcept override { dropped.push_back(id); }
  void on_metadata_dropped(const Status& why) noexcept override { metadata_dropped.emplace_back(why.message()); }

  const SessionOptions options_;
  kit::ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  Http1ServerSession session_;
  Event event_;
};

}  // namespace trunkline::session::http1
