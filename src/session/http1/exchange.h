// SPDX-License-Identifier: MIT
// Exchange: the request that a connection of HTTP/1.1 serves, and its response.
#pragma once

#include "base/clock.h"
#include "session/event.h"
#include "session/web/call_head.h"

#include <trunkline/metadata.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace trunkline::session::http1 {

/// Says what becomes of the content of a request.
enum class ContentUse : std::uint8_t {
  /// The content is the message, as a whole.
  body,
  /// The content is messages with prefixes.
  messages,
  /// The content is base64 of a message with its prefix.
  text,
  /// There is no content: the message of a GET stands in its target.
  none,
};

/// Holds what the head of a request says of the call and of the connection.
struct RequestFacts {
  web::CallHead call;
  std::uint32_t method_number = 0;
  /// The name is a view of a string that the session keeps for longer than the exchange.
  std::string_view method;
  std::uint8_t minor_version = 1;
  bool is_chunked = false;
  std::uint64_t content_length = 0;
  bool keeps_connection = true;
  bool expects_continue = false;
  /// The request was HEAD: the response has no content.
  bool is_head = false;
  /// This is the number of the user-agent (KnownUserAgents), or 0 if the request has none.
  std::uint8_t user_agent = 0;
};

struct Exchange : RequestFacts {
  /// The id is 0 while no request is served.
  CallId id = 0;
  void* context = nullptr;
  Metadata metadata;
  /// Holds the leading metadata of a response whose head is written with its content.
  Metadata leading;
  ContentUse use = ContentUse::none;
  base::TimePoint deadline = base::never;
  /// SessionOwner has let the call pass before its message.
  bool was_let_pass = false;
  /// The `call` event has been handed out.
  bool is_seen = false;
  /// The layer above knows that the client sends nothing more.
  bool has_ended = false;
  bool has_sent_head = false;
  /// Messages of the response may be compressed with this; it is null if none is compressed.
  const Compressor* sent_compressor = nullptr;

  bool is_active() const noexcept { return id != 0; }
  /// No request is served. The memory of the metadata is kept for the next one.
  void reset() {
    Metadata old_metadata = std::move(metadata);
    Metadata old_leading = std::move(leading);
    *this = Exchange();
    old_metadata.clear();
    old_leading.clear();
    metadata = std::move(old_metadata);
    leading = std::move(old_leading);
  }
};

}  // namespace trunkline::session::http1
