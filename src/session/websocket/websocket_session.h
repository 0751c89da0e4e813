// SPDX-License-Identifier: MIT
// WebSocketSession: the native protocol in the binary messages of a WebSocket (RFC 6455), for both roles.
#pragma once

#include "http/http1/request_reader.h"
#include "http/http1/response_reader.h"
#include "http/websocket/frame_reader.h"
#include "session/native/native_session.h"
#include "session/protocol.h"
#include "session/websocket/client_handshake.h"
#include "session/websocket/frame_rate.h"
#include "session/websocket/message_output.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::session::websocket {

/// Owns a native session, which knows nothing of frames: all rules and limits of calls are its own. This class adds the
/// handshake, the frames and the end of the WebSocket. Bytes are received where the native session wants them, and lose
/// their headers and masks there, so nothing is copied or kept. Where messages begin and end means nothing, so their
/// length has no limit of its own: what a frame announces costs no memory, and what it brings is bounded as without
/// WebSocket.
///
/// As a server the session begins with the first byte of the client's request.
class WebSocketSession final : public Session {
 public:
  explicit WebSocketSession(const SessionParameters& parameters);

  std::size_t prepare_receive(std::array<MutableByteSpan, 2>& out) override;
  void received(std::size_t size, base::TimePoint now) override;
  void received_nothing() noexcept override {
    if (handshake_ == nullptr) native_.received_nothing();
  }
  bool next(Event& event) override {
    if (is_unusual_) [[unlikely]]
      return next_unusual(event);
    return native_.next(event);
  }

  std::size_t gather(std::span<ByteSpan> out) override;
  void wrote(std::size_t size) override {
    output_.wrote(native_, size);
    native_.set_outer_bytes(outer_bytes());
  }
  bool has_output() const noexcept override {
    return output_.has_work() || pong_.has_value() ||
           (handshake_ == nullptr && (native_.has_output() || must_send_close()));
  }
  std::size_t unsent_bytes() const noexcept override { return output_.unsent_bytes() + native_.unsent_bytes(); }

  /// Returns false during the handshake, so a call that waits for it has certainly not been sent.
  bool can_start() const noexcept override;
  AwaitedLimit awaited_limit() const noexcept override { return native_.awaited_limit(); }
  Result<CallId> start(const CallStart& start, const OutgoingMessage& message) override {
    return native_.start(start, message);
  }
  void cancel(CallId id, StatusCode reason) override { native_.cancel(id, reason); }

  void attach(CallId id, void* context) override { native_.attach(id, context); }
  Status decompress(Event& event) override { return native_.decompress(event); }
  Status finish(CallId id, const Status& status, const OutgoingMessage& message, const Metadata* trailing,
                bool unprocessed) override {
    return native_.finish(id, status, message, trailing, unprocessed);
  }
  Status send(CallId id, const OutgoingMessage& message, const Metadata* leading, bool end) override {
    return native_.send(id, message, leading, end);
  }
  bool is_writable(CallId id) const noexcept override { return native_.is_writable(id); }
  std::uint64_t received_of_message(CallId id) const noexcept override { return native_.received_of_message(id); }
  void release(CallId id, const MessageCredit& credit) override { native_.release(id, credit); }
  void release_queued(CallId id, const MessageCredit& credit) override { native_.release_queued(id, credit); }

  void drain() override;
  bool is_drained() const noexcept override;
  void close(const Status& reason) override;
  void transport_closed(const Status& reason) override;
  bool is_closed() const noexcept override { return native_.is_closed(); }
  const Status& close_reason() const noexcept override { return native_.close_reason(); }
  bool is_open() const noexcept override { return native_.is_open(); }
  std::size_t open_calls() const noexcept override { return native_.open_calls(); }
  std::string_view protocol_name() const noexcept override { return "websocket"; }
  std::size_t held_bytes() const noexcept override;
  std::uint64_t payload_bytes_accepted() const noexcept override { return native_.payload_bytes_accepted(); }
  bool is_ordered() const noexcept override { return native_.is_ordered(); }

 private:
  /// Holds the handshake until the WebSocket is open. One that is refused stays, so that only its response is written.
  struct Handshake {
    std::vector<std::byte> bytes;
    std::size_t size = 0;
    http::http1::RequestReader request;
    http::http1::ResponseReader response;
    std::optional<ClientHandshake> client;
  };
  /// Describes the end of the WebSocket, which comes once all calls before it have been seen.
  struct Ending {
    http::websocket::CloseCode code = http::websocket::CloseCode::normal;
    Status reason;
  };

  std::size_t outer_bytes() const noexcept;
  void begin_client();
  std::size_t prepare_handshake(std::array<MutableByteSpan, 2>& out);
  void read_request();
  void read_response();
  void open(std::size_t head_bytes);
  void refuse(const std::string& problem);

  bool next_unusual(Event& event);
  bool receive_unread();
  void take(std::span<const MutableByteSpan> room, std::size_t size);
  void take_control(const http::websocket::FrameReader::Control& control);
  void take_close(ByteSpan payload);
  void count_frame();
  void end(http::websocket::CloseCode code, Status reason);
  void fail(http::websocket::CloseCode code, std::string_view text);
  bool must_send_close() const noexcept { return native_.is_closed() && !is_close_sent_ && !is_lost_; }
  http::websocket::CloseCode close_code() const noexcept;

  const Role role_;
  const SessionOptions& options_;
  base::TimePoint now_;
  native::NativeSession native_;
  /// The pointer is null once the WebSocket is open.
  std::unique_ptr<Handshake> handshake_;
  http::websocket::FrameReader reader_;
  MessageOutput output_;
  FrameRate frame_rate_;
  /// prepare_receive() has handed out these spans.
  std::array<MutableByteSpan, 2> room_{};
  std::size_t room_count_ = 0;
  /// These bytes came with the head of the handshake, and wait until the native session has room for them.
  std::vector<std::byte> unread_;
  /// This is the answer to the last ping. Earlier pings need none (RFC 6455, section 5.5.3).
  std::optional<std::string> pong_;
  std::optional<Ending> ending_;
  /// close() was called.
  bool is_ended_here_ = false;
  /// next() has something to do that is not the native session's.
  bool is_unusual_ = false;
  /// can_start() has returned false because of the handshake.
  mutable bool is_start_awaited_ = false;
  bool is_drain_requested_ = false;
  bool is_close_sent_ = false;
  /// The transport has ended.
  bool is_lost_ = false;
};

}  // namespace trunkline::session::websocket
