// SPDX-License-Identifier: MIT
// RequestHead: the header fields of a request of Connect or gRPC-Web, at a client.
#pragma once

#include "base/clock.h"
#include "session/web/field_sink.h"
#include "session/web/format.h"
#include "session/web/message_encodings.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/slice.h>

#include <string_view>

namespace trunkline::session::web {

/// This library and its version.
std::string_view user_agent() noexcept;

/// What all calls of a method have in common.
struct RequestHead {
  /// grpc_web, grpc_web_text, connect_stream or connect_unary.
  Format format = Format::connect_unary;
  /// Of connect_unary: the request has no body, and what a body needs said stands in the query.
  bool is_get = false;
  const Codec* codec = nullptr;
  /// Of messages that are compressed, or of the body; null: nothing is.
  const Compressor* compressor = nullptr;

  void write_fields(const MessageEncodings& encodings, FieldSink& sink) const;
};

/// The query of a GET, from the '?' on. `message` is compressed with `compressor`, if that is not null.
void append_get_query(const Codec& codec, ByteSpan message, const Compressor* compressor, BufferWriter& out);

/// The field that says how much time is left.
std::string_view timeout_field_of(Format format) noexcept;
void append_timeout_of(Format format, base::Duration left, BufferWriter& out);

}  // namespace trunkline::session::web
