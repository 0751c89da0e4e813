// SPDX-License-Identifier: MIT
// Http2Client: the other end of a GrpcServerSession, frame by frame, with a handler of the test on the session's side.
#pragma once

#include "http/hpack/decoder.h"
#include "http/hpack/encoder.h"
#include "http/http2/frame_payload.h"
#include "http/http2/frame_writer.h"
#include "kit/manual_clock.h"
#include "kit/session_end.h"
#include "session/grpc/grpc_server_session.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::session::grpc {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// A frame that the session has sent: HEADERS with its fields, others with their payload.
struct Sent {
  http::http2::FrameType type{};
  std::uint32_t stream = 0;
  bool is_end = false;
  std::string payload;
  std::map<std::string, std::string> fields;
};

/// Of an event, with its own memory.
struct Seen {
  EventType type{};
  CallId id = 0;
  bool has_message = false;
  bool end = false;
  std::string payload;
  std::string method;
  std::string codec;
  void* context = nullptr;
  base::TimePoint deadline = base::never;
  Metadata metadata;
  Status status;
  MessageCredit credit;
  bool is_route = false;
  /// "none" without one.
  std::string user_agent = "none";
};

class Http2Client : private SessionOwner {
 public:
  explicit Http2Client(const SessionOptions& options = kit::plain_options())
      : options_(options),
        session_(SessionParameters{
            .role = Role::server, .options = options_, .timers = timers_, .owner = *this, .now = clock_.now()}) {}

  GrpcServerSession& session() noexcept { return session_; }
  base::TimePoint now() const noexcept { return clock_.now(); }
  /// Called with each event, after it was noted.
  std::function<void(Event&)> on_event;
  std::vector<Seen> events;
  /// What SessionOwner::find_route() finds, by the method of HTTP, a space and the path.
  std::map<std::string, RouteMatch> routes;
  std::uint64_t routes_version_of_owner = 0;
  bool was_woken = false;
  /// What SessionOwner::background_calls() returns.
  std::size_t background = 0;

  static std::string preface() {
    BufferWriter out;
    out.append(http::http2::client_preface);
    http::http2::append_settings({}, out);
    return text_of(out);
  }
  static Fields request(std::string path, Fields more = {}) {
    Fields fields{{":method", "POST"},      {":scheme", "http"}, {":path", std::move(path)},
                  {":authority", "server"}, {"te", "trailers"},  {"content-type", "application/grpc+bytes"}};
    fields.insert(fields.end(), more.begin(), more.end());
    return fields;
  }
  std::string headers(std::uint32_t stream, const Fields& fields, bool is_end = false,
                      std::uint32_t max_frame_bytes = http::http2::min_max_frame_bytes) {
    BufferWriter block;
    encoder_.begin(block);
    for (const auto& [name, value] : fields) encoder_.field(name, value, http::hpack::Indexing::index, block);
    BufferWriter out;
    http::http2::append_headers(stream, block.bytes(), is_end, max_frame_bytes, out);
    return text_of(out);
  }
  static std::string message(std::string_view bytes, char flag = 0) {
    std::string out{flag, static_cast<char>(bytes.size() >> 24), static_cast<char>(bytes.size() >> 16),
                    static_cast<char>(bytes.size() >> 8), static_cast<char>(bytes.size())};
    return out.append(bytes);
  }
  static std::string data(std::uint32_t stream, std::string_view bytes, bool is_end = false) {
    BufferWriter out;
    http::http2::append_data(stream, as_bytes(bytes), is_end, out);
    return text_of(out);
  }
  static std::string reset(std::uint32_t stream, http::http2::ErrorCode code = http::http2::ErrorCode::cancel) {
    BufferWriter out;
    http::http2::append_rst_stream(stream, code, out);
    return text_of(out);
  }
  static std::string window_update(std::uint32_t stream, std::uint32_t bytes) {
    BufferWriter out;
    http::http2::append_window_update(stream, bytes, out);
    return text_of(out);
  }
  static std::string ping(bool is_ack, std::string_view value) {
    http::http2::PingValue bytes{};
    std::memcpy(bytes.data(), value.data(), bytes.size());
    BufferWriter out;
    http::http2::append_ping(bytes, is_ack, out);
    return text_of(out);
  }
  static std::string settings(std::initializer_list<http::http2::Setting> list) {
    BufferWriter out;
    http::http2::append_settings({list.begin(), list.size()}, out);
    return text_of(out);
  }

  /// Hands the session `bytes` in parts of at most `part`, with a turn after each.
  void feed(std::string_view bytes, std::size_t part = std::string_view::npos) {
    while (!bytes.empty() && !session_.is_closed()) {
      std::array<MutableByteSpan, 2> room;
      const std::size_t count = session_.prepare_receive(room);
      const std::size_t size = count == 0 ? 0 : std::min({bytes.size(), part, room[0].size()});
      if (size == 0) return;
      std::memcpy(room[0].data(), bytes.data(), size);
      bytes.remove_prefix(size);
      session_.received(size, clock_.now());
      turn();
    }
  }
  void turn() {
    while (session_.next(event_)) {
      events.push_back({event_.type, event_.id, event_.has_message, event_.end, std::string(as_text(event_.payload)),
                        std::string(event_.method_name),
                        std::string(event_.codec != nullptr ? event_.codec->name() : std::string_view()),
                        event_.context, event_.deadline, event_.metadata, event_.status, event_.credit, event_.is_route,
                        event_.user_agent == nullptr ? "none" : **event_.user_agent});
      if (on_event) on_event(event_);
    }
  }
  void advance(base::Duration by) {
    pass(by);
    turn();
  }
  /// Time passes, and timers fire, but no event is taken.
  void pass(base::Duration by) {
    clock_.advance(by);
    timers_.advance(clock_.now());
  }
  /// What the session has sent since the last call.
  std::vector<Sent> sent() {
    std::string bytes = std::exchange(rest_, {});
    for (;;) {
      std::array<ByteSpan, 16> spans;
      const std::size_t count = session_.gather(spans);
      std::size_t size = 0;
      for (std::size_t i = 0; i < count; ++i) {
        bytes += as_text(spans[i]);
        size += spans[i].size();
      }
      if (size == 0) break;
      session_.wrote(size);
    }
    std::vector<Sent> frames;
    std::size_t at = 0;
    while (bytes.size() - at >= http::http2::frame_header_bytes) {
      const auto header = http::http2::read_frame_header(as_bytes(bytes).data() + at);
      at += http::http2::frame_header_bytes;
      frames.push_back(read(header, std::string_view(bytes).substr(at, header.length)));
      at += header.length;
    }
    return frames;
  }
  /// The values that SETTINGS among `frames` give to a setting, in their order.
  static std::vector<std::uint32_t> announced(const std::vector<Sent>& frames, http::http2::SettingId id) {
    std::vector<std::uint32_t> values;
    for (const Sent& frame : of_type(frames, http::http2::FrameType::settings)) {
      http::http2::SettingsReader reader(as_bytes(frame.payload));
      for (http::http2::Setting setting; reader.next(setting);) {
        if (setting.id == id) values.push_back(setting.value);
      }
    }
    return values;
  }
  /// The frames of a type, on any stream.
  static std::vector<Sent> of_type(const std::vector<Sent>& frames, http::http2::FrameType type) {
    std::vector<Sent> found;
    for (const Sent& frame : frames) {
      if (frame.type == type) found.push_back(frame);
    }
    return found;
  }

 private:
  static std::string text_of(const BufferWriter& out) { return std::string(as_text(out.bytes())); }
  Sent read(const http::http2::FrameHeader& header, std::string_view payload) {
    Sent frame{.type = header.type, .stream = header.stream, .payload = std::string(payload)};
    const bool may_end = header.type == http::http2::FrameType::data || header.type == http::http2::FrameType::headers;
    frame.is_end = may_end && header.has(http::http2::flag::end_stream);
    if (header.type != http::http2::FrameType::headers) return frame;
    decoder_.begin(as_bytes(payload));
    for (http::hpack::Field field; decoder_.next(field) == http::hpack::Decoder::Step::field;) {
      frame.fields.emplace(field.name, field.value);
    }
    return frame;
  }
  void on_session_wake() noexcept override { was_woken = true; }
  std::size_t background_calls() const noexcept override { return background; }
  std::uint64_t routes_version() const noexcept override { return routes_version_of_owner; }
  std::string_view http_methods_of(std::string_view method) override {
    return method == "Absent" ? "" : method == "Pure" ? "GET, POST" : "POST";
  }
  RouteMatch find_route(std::string_view http_method, std::string_view path) override {
    const auto found = routes.find(std::string(http_method).append(" ").append(path));
    return found != routes.end() ? found->second : RouteMatch();
  }

  kit::ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  const SessionOptions options_;
  GrpcServerSession session_;
  Event event_;
  http::hpack::Encoder encoder_;
  http::hpack::NameIds ids_{};
  http::hpack::Decoder decoder_{ids_};
  std::string rest_;
};

}  // namespace trunkline::session::grpc
