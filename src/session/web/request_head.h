// SPDX-License-Identifier: MIT
// RequestHead: the header fields of a request of Connect or gRPC-Web, at a client.
#pragma once

#include "base/clock.h"
#include "session/session_options.h"
#include "session/web/field_sink.h"
#include "session/web/format.h"
#include "session/web/message_encodings.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/slice.h>

#include <string_view>

namespace trunkline::session::web {

/// Returns what a client with these options says it is: the name and the version of this library unless they name
/// another.
std::string_view user_agent_of(const SessionOptions& options) noexcept;

/// Holds what all calls of a method share.
struct RequestHead {
  /// The format is grpc_web, grpc_web_text, connect_stream or connect_unary.
  Format format = Format::connect_unary;
  /// The request of connect_unary has no body, and the query says what fields would say of a body.
  bool is_get = false;
  const Codec* codec = nullptr;
  /// Messages, or the body, may be compressed with this; it is null if nothing is compressed.
  const Compressor* compressor = nullptr;

  std::string_view user_agent{};

  void write_fields(const MessageEncodings& encodings, FieldSink& sink) const;
};

/// Appends the query of a GET, from the '?' on. `message` is compressed with `compressor`, if that is not null.
void append_get_query(const Codec& codec, ByteSpan message, const Compressor* compressor, BufferWriter& out);

/// Returns the name of the field that says how much time is left.
std::string_view timeout_field_of(Format format) noexcept;
void append_timeout_of(Format format, base::Duration left, BufferWriter& out);

}  // namespace trunkline::session::web
