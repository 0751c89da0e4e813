// SPDX-License-Identifier: MIT
// ResponseHead: the status and the header fields of a response of Connect, gRPC-Web or plain HTTP.
#pragma once

#include "session/web/field_sink.h"
#include "session/web/format.h"
#include "session/web/message_encodings.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::session::web {

/// What is referenced is needed until write_fields() returns. Metadata is what check_sendable() allows.
struct ResponseHead {
  Format format = Format::connect_unary;
  const Codec* codec = nullptr;
  /// Of messages that are compressed, or of the body; null: nothing is.
  const Compressor* compressor = nullptr;
  /// Of a format that responds once: the call's. Null: it is ok.
  const Status* status = nullptr;
  /// HTTP's, if it is not that of the status' code; 0: it is.
  std::uint32_t http_error = 0;
  /// May be null.
  const Metadata* leading = nullptr;
  /// Of a format that responds once; may be null.
  const Metadata* trailing = nullptr;

  /// Of a route over HTTP/2: what follows. HTTP/1.1 writes the length by itself.
  std::optional<std::uint64_t> content_bytes{};
  /// CallHead::cors_origin.
  const std::string* cors_origin = nullptr;

  bool is_error() const noexcept { return status != nullptr && !status->is_ok(); }
  /// HTTP's. Streams are always 200, whatever their end.
  std::uint32_t http_status() const noexcept;
  /// False for the statuses of HTTP whose responses have no content.
  bool has_content() const noexcept;
  /// False for those whose responses do not say the length of their content either.
  bool has_length() const noexcept;
  /// All fields but the status and the length of the content.
  void write_fields(const MessageEncodings& encodings, FieldSink& sink) const;
};

/// The HTTP status of an error (Connect's "Error Codes").
std::uint32_t http_status_of(StatusCode code) noexcept;

/// The answer to a request that is no call: a line of text for people. Its fields are those below. With 405: the
/// methods of HTTP that the path takes.
inline constexpr std::string_view methods_of_calls = "GET, POST";
void append_refusal_text(std::uint32_t http_status, const Status& status, BufferWriter& out);
void write_refusal_fields(std::uint32_t http_status, std::string_view allowed, const std::string* cors_origin,
                          FieldSink& sink);

/// Connect's unary responses: moves what is trailing metadata, whose names begin with "trailer-", and returns the rest.
Metadata take_trailing(Metadata fields, Metadata& trailing);

/// Ok if the metadata can be sent over another protocol than gRPC: as web::check_sendable(const Metadata&), and without
/// the names that only HTTP and Connect reserve. Error: invalid_argument.
Status check_web_metadata(const Metadata& metadata);

}  // namespace trunkline::session::web
