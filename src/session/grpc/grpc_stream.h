// SPDX-License-Identifier: MIT
// GrpcStream: a call and its HTTP/2 stream.
#pragma once

#include "base/timer_wheel.h"
#include "http/http2/stream.h"
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

/// Extends the stream by the call. The objects of a session use only the fields that are theirs.
struct GrpcStream : http::http2::Stream {
  GrpcStream(CallId stream, std::uint32_t send_bytes, std::uint32_t receive_bytes, base::Timer::Callback on_deadline,
             void* session) noexcept
      : Stream(stream, send_bytes, receive_bytes), owner(session), deadline(on_deadline, this) {}

  /// Points to the session, for the callback of the timer.
  void* const owner;
  void* context = nullptr;
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
  /// At a server nobody has seen the call, or it was answered before the client had sent all of its request. The stream
  /// stays for what the client may still send.
  bool is_refused = false;
  /// is_writable() has returned false, so that the call is owed an event `writable`.
  bool owes_writable = false;
  /// A message has come.
  bool has_message = false;
  std::size_t metadata_bytes = 0;

  // --- GrpcServerSession ---
  /// The end of the call waits here behind the queue.
  std::unique_ptr<PendingTrailers> trailers;
  /// The call has not been handed out, because its first message may be in what has come.
  bool is_held = false;
  /// This, the next two and the number of the user-agent hold what the headers have said, until the call is handed
  /// out.
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
  /// The bytes of the message that have come cost nothing of the connection's window, because the message has waited
  /// behind an unread one.
  bool is_free_to_wait = false;
  /// The window has not been opened again for this many bytes of the message.
  std::uint32_t withheld = 0;
  /// This many bytes of a body without a known length had room before it turned out to be longer.
  std::uint32_t early = 0;

  base::Timer deadline;

  bool is_web() const noexcept { return format != web::Format::grpc; }
};

}  // namespace trunkline::session::grpc
