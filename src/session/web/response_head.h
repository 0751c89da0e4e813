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

/// Everything referenced is needed until write_fields() returns. Metadata is what check_sendable() allows.
struct ResponseHead {
  Format format = Format::connect_unary;
  const Codec* codec = nullptr;
  /// Messages, or the body, may be compressed with this; it is null if nothing is compressed.
  const Compressor* compressor = nullptr;
  /// In a format that responds once, this is the status of the call. Null stands for ok.
  const Status* status = nullptr;
  /// This is the HTTP status of an error, or 0 if that follows from the code of `status`.
  std::uint32_t http_error = 0;
  /// The leading metadata may be null.
  const Metadata* leading = nullptr;
  /// The trailing metadata is written in a format that responds once, and may be null.
  const Metadata* trailing = nullptr;

  /// In a route over HTTP/2 this many bytes of content follow. HTTP/1.1 writes the length by itself.
  std::optional<std::uint64_t> content_bytes{};
  /// This is CallHead::cors_origin.
  const std::string* cors_origin = nullptr;

  bool is_error() const noexcept { return status != nullptr && !status->is_ok(); }
  /// Returns the status of HTTP. Streams always have 200, whatever their end.
  std::uint32_t http_status() const noexcept;
  /// Returns false for the statuses of HTTP whose responses have no content.
  bool has_content() const noexcept;
  /// Returns false for the statuses of HTTP whose responses do not say the length of their content either.
  bool has_length() const noexcept;
  /// Writes all fields but the status and the length of the content, which it writes for routes over HTTP/2.
  void write_fields(const MessageEncodings& encodings, FieldSink& sink) const;
};

/// Returns the HTTP status of an error (Connect's "Error Codes").
std::uint32_t http_status_of(StatusCode code) noexcept;

/// A request that is no call is answered with a line of text for people, and with the fields below. With 405 these name
/// the methods of HTTP that the path takes; calls take the following.
inline constexpr std::string_view methods_of_calls = "GET, POST";
void append_refusal_text(std::uint32_t http_status, const Status& status, BufferWriter& out);
void write_refusal_fields(std::uint32_t http_status, std::string_view allowed, const std::string* cors_origin,
                          FieldSink& sink);

/// Moves the trailing metadata of a unary response of Connect, with names in "trailer-", and returns the rest.
Metadata take_trailing(Metadata fields, Metadata& trailing);

/// Returns ok if the metadata can be sent over another protocol than gRPC: check_sendable() allows it, and it has no
/// names that only HTTP and Connect reserve. Error: invalid_argument.
Status check_web_metadata(const Metadata& metadata);

}  // namespace trunkline::session::web
