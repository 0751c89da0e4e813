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
  /// 0: there is no call.
  CallId id = 0;
  void* context = nullptr;
  web::Format format = web::Format::connect_unary;
  const Codec* codec = nullptr;
  bool is_stream = false;
  /// Nobody waits for its end.
  bool is_one_way = false;

  // --- the request ---

  /// Of messages that are compressed, as the head has said; null: none is.
  const Compressor* sent_compressor = nullptr;
  bool is_chunked = false;
  /// All of it is in the output, or has been written.
  bool has_ended = false;
  /// Where the request begins, among all that the connection has written.
  std::uint64_t begin = 0;
  /// Up to here it has to be given to the transport before a server can see the call.
  std::uint64_t head_end = 0;

  // --- the response ---

  /// Its head has come.
  bool has_response = false;
  int interim_responses = 0;
  /// Of the messages; null: none is compressed.
  const Compressor* received_compressor = nullptr;
  bool keeps_connection = false;
  web::WebOutcome outcome;
  /// Of messages that the application has retained. Below 0 while it has returned one whose event is in hand.
  std::int64_t unread_bytes = 0;

  bool is_active() const noexcept { return id != 0; }
};

}  // namespace trunkline::session::http1
