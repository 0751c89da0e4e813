// SPDX-License-Identifier: MIT
// Runs the handshake, turns frames into bytes in place, and ends the WebSocket.
#include "session/websocket/websocket_session.h"

#include "session/websocket/server_handshake.h"
#include "wire/foreign_peer.h"
#include "wire/text.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace trunkline::session::websocket {

using http::websocket::CloseCode;
using http::websocket::FrameReader;
using http::websocket::Opcode;

namespace {

constexpr std::size_t least_head_room = 1024;

/// Returns whether the peer speaks HTTP/1, as far as its first bytes tell. One that does not may never end a line.
bool may_be_http(std::string_view text) noexcept {
  constexpr std::string_view start = "HTTP/1.";
  const std::size_t size = std::min(text.size(), start.size());
  return text.substr(0, size) == start.substr(0, size);
}

/// Returns the limits of other requests over HTTP/1.1, because a browser may send as many cookies with this one.
http::http1::HeadLimits head_limits_of(const ConnectionLimits& limits) noexcept {
  return {.max_head_bytes = limits.max_header_bytes, .max_first_line_bytes = limits.max_header_bytes / 2};
}

Status lost(std::string text) { return {StatusCode::unavailable, std::move(text), StatusOrigin::transport}; }

}  // namespace

WebSocketSession::WebSocketSession(const SessionParameters& parameters)
    : role_(parameters.role),
      options_(parameters.options),
      now_(parameters.now),
      native_(parameters.role, parameters.options, parameters.timers, parameters.owner, parameters.now,
              parameters.account),
      handshake_(std::make_unique<Handshake>(
          Handshake{.bytes = {},
                    .size = 0,
                    .request = http::http1::RequestReader(head_limits_of(parameters.options.limits)),
                    .response = http::http1::ResponseReader({}),
                    .client = {}})),
      reader_(parameters.role == Role::server),
      output_(parameters.role == Role::client) {
  if (role_ == Role::client) begin_client();
}

void WebSocketSession::begin_client() {
  std::array<std::byte, ClientHandshake::nonce_bytes> nonce;
  http::websocket::MaskKeys().draw(nonce);
  const std::string_view host = options_.authority.empty() ? "localhost" : std::string_view(options_.authority);
  output_.append(handshake_->client.emplace(host, nonce).request());
}

// --- input ---

std::size_t WebSocketSession::prepare_receive(std::array<MutableByteSpan, 2>& out) {
  // Earlier bytes go first; the native session wakes the owner once it has room for them.
  if (!unread_.empty()) return 0;
  room_count_ = handshake_ != nullptr ? prepare_handshake(room_) : native_.prepare_receive(room_);
  std::copy_n(room_.begin(), room_count_, out.begin());
  return room_count_;
}

std::size_t WebSocketSession::prepare_handshake(std::array<MutableByteSpan, 2>& out) {
  std::vector<std::byte>& bytes = handshake_->bytes;
  if (bytes.size() - handshake_->size < least_head_room) bytes.resize(bytes.size() + 2 * least_head_room);
  out[0] = MutableByteSpan(bytes).subspan(handshake_->size);
  return 1;
}

void WebSocketSession::received(std::size_t size, base::TimePoint now) {
  now_ = now;
  if (native_.is_closed() || ending_.has_value()) return;
  if (handshake_ == nullptr) return take(std::span(room_).first(room_count_), size);
  handshake_->size += size;
  native_.set_outer_bytes(outer_bytes());
  role_ == Role::server ? read_request() : read_response();
}

void WebSocketSession::read_request() {
  using http::http1::RequestReader;
  RequestReader& reader = handshake_->request;
  const RequestReader::Outcome outcome = reader.read(as_text(ByteSpan(handshake_->bytes).first(handshake_->size)));
  if (outcome == RequestReader::Outcome::needs_input) return;
  const bool is_head = outcome == RequestReader::Outcome::head;
  const ServerHandshake answer =
      is_head ? ServerHandshake::answer(reader.head(), {options_.allowed_origins, options_.allowed_hosts})
              : ServerHandshake::refuse(reader.error());
  output_.append(answer.response);
  if (!answer.problem.empty()) return refuse(answer.problem);
  open(reader.size());
}

void WebSocketSession::read_response() {
  using http::http1::ResponseReader;
  const ByteSpan bytes = ByteSpan(handshake_->bytes).first(handshake_->size);
  ResponseReader& reader = handshake_->response;
  const ResponseReader::Outcome outcome =
      may_be_http(as_text(bytes)) ? reader.read(as_text(bytes)) : ResponseReader::Outcome::refused;
  if (outcome == ResponseReader::Outcome::needs_input) return;
  if (outcome == ResponseReader::Outcome::refused) {
    const std::string_view protocol = wire::guess_foreign_peer(bytes);
    std::string text = "the server does not speak WebSocket";
    if (!protocol.empty()) text.append("; it seems to speak ").append(protocol);
    if (protocol == "TLS") text += ", so the endpoint is wss://";
    return refuse(text);
  }
  if (const std::string problem = handshake_->client->problem_of(reader.head()); !problem.empty()) {
    return refuse(problem);
  }
  open(reader.size());
}

/// Bytes behind the head belong to frames.
void WebSocketSession::open(std::size_t head_bytes) {
  const ByteSpan rest = ByteSpan(handshake_->bytes).first(handshake_->size).subspan(head_bytes);
  unread_.assign(rest.begin(), rest.end());
  handshake_ = nullptr;
  is_unusual_ = true;
}

/// The handshake stays, so that nothing but its response is written.
void WebSocketSession::refuse(const std::string& problem) { native_.close(lost("handshake: " + problem)); }

/// Bytes that were put into `room`, which is the native session's, lose their frames there.
void WebSocketSession::take(std::span<const MutableByteSpan> room, std::size_t size) {
  std::size_t taken = 0;
  // Content moves to the front, so it never overtakes what is still to be read.
  std::size_t to = 0;
  std::size_t at = 0;
  for (std::size_t from = 0; from < room.size() && size > 0 && !ending_; ++from) {
    ByteSpan input = room[from].first(std::min(size, room[from].size()));
    size -= input.size();
    for (;;) {
      const FrameReader::Outcome outcome = reader_.next(input);
      if (outcome == FrameReader::Outcome::needs_input) break;
      if (outcome == FrameReader::Outcome::failed) {
        fail(reader_.error().code, reader_.error().text);
        break;
      }
      if (outcome == FrameReader::Outcome::control) {
        take_control(reader_.control());
        if (ending_) break;
        continue;
      }
      auto [bytes, mask] = reader_.data();
      if (bytes.empty()) count_frame();
      taken += bytes.size();
      while (!bytes.empty()) {
        if (at == room[to].size()) ++to, at = 0;
        const std::size_t part = std::min(bytes.size(), room[to].size() - at);
        mask.apply(room[to].data() + at, bytes.data(), part);
        mask = mask.after(part);
        bytes = bytes.subspan(part);
        at += part;
      }
      if (ending_) break;
    }
  }
  native_.received(taken, now_);
}

void WebSocketSession::take_control(const FrameReader::Control& control) {
  count_frame();
  if (control.opcode == Opcode::close) return take_close(control.payload);
  if (control.opcode == Opcode::ping) pong_ = std::string(as_text(control.payload));
}

void WebSocketSession::count_frame() {
  if (frame_rate_.add(now_) || ending_) return;
  fail(CloseCode::policy_violation, "more than 1000 control frames and empty frames in a second");
}

/// The peer sends nothing more. It is told the same code.
void WebSocketSession::take_close(ByteSpan payload) {
  const http::websocket::CloseReason close = http::websocket::read_close(payload);
  if (close.error != CloseCode::normal) return fail(close.error, "the close frame is malformed");
  const bool is_orderly =
      close.code == CloseCode::normal || close.code == CloseCode::going_away || close.code == CloseCode::no_code;
  if (is_orderly && native_.open_calls() == 0 && close.text.empty()) return end(close.code, {});
  std::string text = "connection closed by the peer";
  if (!is_orderly) text += " with code " + std::to_string(static_cast<unsigned>(close.code));
  if (!close.text.empty()) text += ": " + wire::escape_controls(close.text);
  end(close.code, lost(text));
}

void WebSocketSession::fail(CloseCode code, std::string_view text) {
  end(code, lost("receive frame of WebSocket: " + std::string(text)));
}

void WebSocketSession::end(CloseCode code, Status reason) {
  ending_ = {.code = code, .reason = std::move(reason)};
  is_unusual_ = true;
}

// --- events ---

bool WebSocketSession::next_unusual(Event& event) {
  for (;;) {
    if (native_.next(event)) return true;
    if (!unread_.empty() && receive_unread()) continue;
    if (!ending_ || native_.is_closed()) break;
    native_.close(ending_->reason);
  }
  if (handshake_ == nullptr && std::exchange(is_start_awaited_, false) && native_.can_start()) {
    event.type = EventType::writable;
    event.id = 0;
    return true;
  }
  is_unusual_ = !unread_.empty();
  return false;
}

/// Returns true if the native session has had room for something.
bool WebSocketSession::receive_unread() {
  std::array<MutableByteSpan, 2> room;
  const std::size_t count = native_.is_closed() ? 0 : native_.prepare_receive(room);
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t part = std::min(room[i].size(), unread_.size() - size);
    if (part > 0) std::memcpy(room[i].data(), unread_.data() + size, part);
    size += part;
  }
  if (size == 0) return false;
  unread_.erase(unread_.begin(), unread_.begin() + static_cast<std::ptrdiff_t>(size));
  take(std::span(room).first(count), size);
  if (ending_) unread_.clear();
  return true;
}

// --- output ---

std::size_t WebSocketSession::gather(std::span<ByteSpan> out) {
  if (!output_.has_work() && handshake_ == nullptr) {
    if (pong_) {
      output_.append_control(Opcode::pong, *std::exchange(pong_, std::nullopt));
    } else if (must_send_close() && !native_.has_output()) {
      is_close_sent_ = true;
      const std::string payload = http::websocket::close_payload(close_code(), native_.close_reason().message());
      output_.append_control(Opcode::close, payload);
    }
  }
  if (handshake_ != nullptr && !output_.has_work()) return 0;
  const std::size_t count = output_.gather(native_, out);
  native_.set_outer_bytes(outer_bytes());
  return count;
}

// --- the connection ---

bool WebSocketSession::can_start() const noexcept {
  if (handshake_ == nullptr) return native_.can_start();
  is_start_awaited_ = true;
  return false;
}

void WebSocketSession::drain() {
  is_drain_requested_ = true;
  native_.drain();
}

bool WebSocketSession::is_drained() const noexcept {
  // The hello of a client waits for the end of the handshake.
  if (handshake_ != nullptr && role_ == Role::client) return is_drain_requested_ && !is_closed();
  return native_.is_drained() && !output_.has_work();
}

void WebSocketSession::close(const Status& reason) {
  is_ended_here_ = is_ended_here_ || !native_.is_closed();
  native_.close(reason);
}

/// Returns the code of the close frame. Unless close() was called, the peer said that it goes, or broke the protocol.
CloseCode WebSocketSession::close_code() const noexcept {
  if (ending_) return ending_->code;
  const Status& reason = native_.close_reason();
  if (reason.is_ok() || reason.origin() == StatusOrigin::peer) return CloseCode::normal;
  return is_ended_here_ ? CloseCode::going_away : CloseCode::protocol_error;
}

void WebSocketSession::transport_closed(const Status& reason) {
  is_lost_ = true;
  output_.clear();
  pong_.reset();
  unread_ = {};
  native_.set_outer_bytes(outer_bytes());
  native_.transport_closed(reason);
}

std::size_t WebSocketSession::held_bytes() const noexcept { return native_.held_bytes() + outer_bytes(); }

/// Returns the bytes that the native session does not know of.
std::size_t WebSocketSession::outer_bytes() const noexcept {
  const std::size_t handshake = handshake_ != nullptr ? handshake_->bytes.capacity() : 0;
  return output_.held_bytes() + unread_.capacity() + handshake;
}

}  // namespace trunkline::session::websocket
