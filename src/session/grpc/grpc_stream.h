// SPDX-License-Identifier: MIT
// GrpcStream: a call and its HTTP/2 stream.
#pragma once

#include "base/timer_wheel.h"
#include "base/vector_queue.h"
#include "http/http2/flow_window.h"
#include "http/http2/stream_state.h"
#include "session/compressor_set.h"
#include "session/event.h"
#include "session/web/format.h"
#include "session/web/message_assembly.h"
#include "session/web/text_decoder.h"
#include "session/web/web_outcome.h"

#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace trunkline::session::grpc {

/// Holds the end of a call, which waits until the messages before it have been sent.
struct PendingTrailers {
  Status status;
  Metadata metadata;
};

/// A part of a message that waits for the window of its stream: the prefix, or what follows it.
struct QueuedPart {
  Slice bytes;
  bool ends_message = false;
};

/// Holds what a call of another protocol than gRPC keeps at a server.
struct WebResponse {
  /// A format that responds once keeps its leading metadata and its body here until the call ends.
  Metadata leading;
  Slice body;
  /// The message of a GET waits here until the client has ended its request.
  std::optional<Slice> query;
  /// The request was HEAD: the response has no content.
  bool is_head = false;
  /// This becomes ResponseHead::http_error of the response.
  std::uint32_t http_error = 0;
};

/// The objects of a session use only the fields that are theirs.
struct GrpcStream {
  GrpcStream(CallId stream, std::uint32_t send_bytes, std::uint32_t receive_bytes, base::Timer::Callback on_deadline,
             void* session) noexcept
      : id(stream),
        owner(session),
        send_window(send_bytes),
        receive_window(receive_bytes),
        receive_target(receive_bytes),
        deadline(on_deadline, this) {}

  const CallId id;
  /// Points to the session, for the callback of the timer.
  void* const owner;
  void* context = nullptr;
  http::http2::StreamState state = http::http2::StreamState::open;
  /// The format says which protocol the call has.
  web::Format format = web::Format::grpc;
  /// At a server the request was a GET.
  bool is_get = false;
  /// At a server this is the request's web::CallHead::cors_origin.
  const std::string* cors_origin = nullptr;
  const Codec* codec = nullptr;
  /// The peer's messages are compressed with this; it is null if the peer sends none that is compressed.
  const Compressor* received_compressor = nullptr;
  /// The peer accepts messages that are compressed with these.
  CompressorSet accepted;
  bool has_sent_headers = false;
  /// At a client the first block of the response has come.
  bool has_response = false;
  /// At a client the transport must be given the output up to here before a server can see the call.
  std::uint64_t headers_end = 0;
  /// Messages of this side are compressed with this, as the headers have said; it is null if none is compressed.
  const Compressor* sent_compressor = nullptr;
  /// The layer above has finished the call; what still comes is dropped.
  bool is_finished = false;
  /// At a server nobody has seen the call, or it was answered before the client had sent all of its request. The stream
  /// stays for what the client may still send.
  bool is_refused = false;
  /// is_writable() has returned false, so that the call is owed an event `writable`.
  bool owes_writable = false;
  /// A message has come.
  bool has_message = false;
  std::size_t metadata_bytes = 0;
  /// This many of the bytes that content-length announces have yet to come. There is no value if none are announced.
  std::optional<std::uint64_t> content_left;

  // --- GrpcServerSession ---
  /// The call has not been handed out, because its first message may be in what has come.
  bool is_held = false;
  /// This and the next three hold what the headers have said, until the call is handed out.
  std::uint32_t method_number = 0;
  base::TimePoint call_deadline = base::never;
  Metadata metadata;
  /// The number of the call's user-agent, from 1, among those of held calls. It is 0 if the call has none.
  std::uint32_t held_agent = 0;
  /// The pointer is null for gRPC, and until there is something to keep.
  std::unique_ptr<WebResponse> web;

  // --- GrpcClientSession ---
  /// The pointer is null for gRPC, and until the response has begun.
  std::unique_ptr<web::WebOutcome> outcome;
  /// Decodes a response that is text. The letters that it holds are not given back to the windows.
  web::TextDecoder text;

  // --- SendQueue ---
  http::http2::FlowWindow send_window;
  /// Messages wait here, their prefixes as parts of their own.
  base::VectorQueue<QueuedPart> queue;
  /// The ticket tells when the front of the queue became the front, in the order of all streams.
  std::uint64_t ticket = 0;
  std::size_t queued_bytes = 0;
  /// This many bytes of the front of the queue have been sent.
  std::size_t sent_of_front = 0;
  bool is_ready = false;
  /// A message has been sent before the front of the queue: the peer's application may have to read that first.
  bool follows = false;
  /// SendQueue counts this many bytes of the queue as held back.
  std::size_t held_back = 0;
  /// END_STREAM goes with the last message of the queue.
  bool ends_with_queue = false;
  std::unique_ptr<PendingTrailers> trailers;

  // --- ReceiveWindows ---
  http::http2::FlowWindow receive_window;
  /// The window is opened to this size.
  std::uint32_t receive_target;
  /// This many bytes are consumed, and not yet granted again.
  std::int64_t returnable = 0;
  /// This many bytes of unread messages have been granted again already.
  std::int64_t debt = 0;

  // --- ReceiveMemory ---
  web::MessageAssembly assembly;
  /// There is room for the message that is gathered. Otherwise the window is not opened for the rest of it.
  bool is_admitted = false;
  /// The message is the request of a call, or the first of one: a handler is about to keep it.
  bool is_request = false;
  /// The message has waited for room since this time.
  base::TimePoint waits_since{};
  /// The message waits until the application has read an earlier one of the stream.
  bool is_behind_unread = false;
  /// What has come of the message costs nothing of the connection's window, because it has waited behind an unread one.
  bool is_free_to_wait = false;
  /// The window has not been opened again for this many bytes of the message.
  std::uint32_t withheld = 0;
  /// This many bytes of a body without a known length had room before it turned out to be longer.
  std::uint32_t early = 0;

  base::Timer deadline;

  /// `bytes` of content have come, and the end if `is_end`. Returns false if that is not what content-length says,
  /// which makes the message malformed (RFC 9113, section 8.1.1).
  [[nodiscard]] bool take_content(std::uint64_t bytes, bool is_end) noexcept {
    if (!content_left) return true;
    if (bytes > *content_left) return false;
    *content_left -= bytes;
    return !is_end || *content_left == 0;
  }
  bool is_web() const noexcept { return format != web::Format::grpc; }
  bool has_queue() const noexcept { return !queue.empty(); }
  /// This side sends nothing more, or nothing more than what is queued.
  bool has_ended() const noexcept {
    return ends_with_queue || state == http::http2::StreamState::half_closed_local ||
           state == http::http2::StreamState::closed;
  }
  bool has_peer_ended() const noexcept {
    return state == http::http2::StreamState::half_closed_remote || state == http::http2::StreamState::closed;
  }
};

}  // namespace trunkline::session::grpc
