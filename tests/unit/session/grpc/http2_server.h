// SPDX-License-Identifier: MIT
// Http2Server: the other end of a GrpcClientSession, frame by frame.
#pragma once

#include "session/grpc/grpc_client_session.h"
#include "unit/session/grpc/http2_client.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline::session::grpc {

class Http2Server : private SessionOwner {
 public:
  explicit Http2Server(const SessionOptions& options = kit::plain_options(), bool is_encrypted = false,
                       CallId first_id = 1, ClientProtocol protocol = ClientProtocol::grpc)
      : options_(options),
        session_(SessionParameters{.role = Role::client,
                                   .options = options_,
                                   .timers = timers_,
                                   .owner = *this,
                                   .now = clock_.now(),
                                   .is_encrypted = is_encrypted},
                 protocol, first_id) {}

  GrpcClientSession& session() noexcept { return session_; }
  base::TimePoint now() const noexcept { return clock_.now(); }
  /// Called with each event, after it was noted.
  std::function<void(Event&)> on_event;
  std::vector<Seen> events;
  bool was_woken = false;

  // Frames of a server.
  static std::string data(std::uint32_t stream, std::string_view bytes, bool is_end = false) {
    return Http2Client::data(stream, bytes, is_end);
  }
  static std::string message(std::uint32_t stream, std::string_view bytes, bool is_end = false) {
    return data(stream, Http2Client::message(bytes), is_end);
  }
  static std::string goaway(std::uint32_t last, http::http2::ErrorCode code = http::http2::ErrorCode::no_error,
                            std::string_view text = {}) {
    BufferWriter out;
    http::http2::append_goaway(last, code, as_bytes(text), out);
    return std::string(as_text(out.bytes()));
  }
  static Fields leading(Fields more = {}) {
    Fields fields{{":status", "200"}, {"content-type", "application/grpc+bytes"}};
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
    return std::string(as_text(out.bytes()));
  }
  std::string trailers(std::uint32_t stream, Fields fields = {{"grpc-status", "0"}}) {
    return headers(stream, fields, true);
  }
  /// A whole response with one message.
  std::string response(std::uint32_t stream, std::string_view bytes) {
    // Blocks are encoded in the order in which they are sent.
    const std::string first = headers(stream, leading());
    return first + message(stream, bytes) + trailers(stream);
  }

  /// SETTINGS, and what the session sends until then is dropped.
  void greet(std::initializer_list<http::http2::Setting> settings = {}) {
    feed(Http2Client::settings(settings));
    static_cast<void>(sent());
    events.clear();
  }
  /// Begins a call whose context is its number.
  CallId start(std::string_view bytes, CallStart start = {}) {
    if (start.method.name.empty()) start.method = {.key = 1, .name = "test/Echo"};
    if (start.context == nullptr) start.context = &contexts_[next_context_++];
    start.now = clock_.now();
    const Result<CallId> id = session_.start(start, kit::payload(bytes));
    EXPECT_TRUE(id.is_ok()) << id.status().to_string();
    return id.is_ok() ? *id : 0;
  }
  /// Begins a call without a message, which goes on.
  CallId start_stream() {
    CallStart start{.method = {.key = 2, .name = "test/Stream"}, .end = false, .context = &contexts_[next_context_++]};
    start.codec = &kit::bytes_codec();
    const Result<CallId> id = session_.start(start, {});
    EXPECT_TRUE(id.is_ok());
    return id.is_ok() ? *id : 0;
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
      events.push_back({event_.type,
                        event_.id,
                        event_.has_message,
                        event_.end,
                        std::string(as_text(event_.payload)),
                        {},
                        std::string(event_.codec != nullptr ? event_.codec->name() : std::string_view()),
                        event_.context,
                        event_.deadline,
                        event_.metadata,
                        event_.status,
                        event_.credit});
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
  /// The finished events, by id.
  std::map<CallId, Status> finished() const {
    std::map<CallId, Status> found;
    for (const Seen& event : events) {
      if (event.type != EventType::finished) continue;
      EXPECT_TRUE(found.emplace(event.id, event.status).second) << "call " << event.id << " has ended twice";
    }
    return found;
  }
  /// The status of the call with which it has ended.
  Status status_of(CallId id) const {
    const auto all = finished();
    const auto found = all.find(id);
    EXPECT_NE(found, all.end()) << "call " << id << " has not ended";
    return found == all.end() ? Status() : found->second;
  }
  /// The messages of a call, each with a comma behind it.
  std::string messages_of(CallId id) const {
    std::string all;
    for (const Seen& event : events) {
      if (event.id == id && event.has_message) all += event.payload + ",";
    }
    return all;
  }
  std::string take_output() {
    std::string bytes;
    for (;;) {
      std::array<ByteSpan, 16> spans;
      const std::size_t count = session_.gather(spans);
      std::size_t size = 0;
      for (std::size_t i = 0; i < count; ++i) {
        bytes += as_text(spans[i]);
        size += spans[i].size();
      }
      if (size == 0) return bytes;
      session_.wrote(size);
    }
  }
  /// What the session has sent since the last call, without the preface.
  std::vector<Sent> sent() {
    const std::string bytes = take_output();
    std::vector<Sent> frames;
    std::size_t at = bytes.starts_with(http::http2::client_preface) ? http::http2::client_preface.size() : 0;
    while (bytes.size() - at >= http::http2::frame_header_bytes) {
      const auto header = http::http2::read_frame_header(as_bytes(bytes).data() + at);
      at += http::http2::frame_header_bytes;
      frames.push_back(read(header, std::string_view(bytes).substr(at, header.length)));
      at += header.length;
    }
    return frames;
  }

 private:
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

  kit::ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  const SessionOptions options_;
  GrpcClientSession session_;
  Event event_;
  http::hpack::Encoder encoder_;
  http::hpack::NameIds ids_{};
  http::hpack::Decoder decoder_{ids_};
  std::map<int, char> contexts_;
  int next_context_ = 0;
};

}  // namespace trunkline::session::grpc
