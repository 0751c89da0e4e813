// SPDX-License-Identifier: MIT
// ClientExchange: the call that a client's connection of HTTP/1.1 carries: its request, and what has come of the
// response.
#pragma once

#include "session/event.h"
#include "session/web/format.h"
#include "session/web/web_outcome.h"

#include <cstddef>
#include <cstdint>

namespace trunkline::session::http1 {

struct ClientExchange {
  /// The id is 0 while there is no call.
  CallId id = 0;
  void* context = nullptr;
  web::Format format = web::Format::connect_unary;
  const Codec* codec = nullptr;
  bool is_stream = false;
  /// Nobody waits for the end of the call.
  bool is_one_way = false;

  // --- the request ---

  /// Messages may be compressed with this, as the head has said; it is null if none is compressed.
  const Compressor* sent_compressor = nullptr;
  bool is_chunked = false;
  /// All of the request is in the output, or has been written.
  bool has_ended = false;
  /// The request begins here, among all that the connection has written.
  std::uint64_t begin = 0;
  /// The transport must be given the request up to here before a server can see the call.
  std::uint64_t head_end = 0;

  // --- the response ---

  /// The head of the response has come.
  bool has_response = false;
  int interim_responses = 0;
  /// The messages of the response are compressed with this; it is null if none is compressed.
  const Compressor* received_compressor = nullptr;
  bool keeps_connection = false;
  web::WebOutcome outcome;
  /// The application retains this many bytes. It is below 0 while a message whose event is in hand has been returned.
  std::int64_t unread_bytes = 0;

  bool is_active() const noexcept { return id != 0; }
};

}  // namespace trunkline::session::http1
