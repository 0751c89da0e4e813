// SPDX-License-Identifier: MIT
// StatusFields: the header fields grpc-status, grpc-message and grpc-status-details-bin of a status.
#pragma once

#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <chrono>
#include <cstddef>
#include <string_view>

namespace trunkline::session::web {

inline constexpr std::string_view status_field_name = "grpc-status";
inline constexpr std::string_view message_field_name = "grpc-message";
inline constexpr std::string_view details_field_name = "grpc-status-details-bin";
inline constexpr std::string_view pushback_field_name = "grpc-retry-pushback-ms";

/// Returns the status that the fields of a peer say: the value of grpc-status, grpc-message without its
/// percent-encoding, and grpc-status-details-bin without its base64, which may be empty.
Status read_status_fields(std::string_view code, ByteSpan message, ByteSpan details);
/// Reads the time until the call may be repeated. A negative number, or no number at all, forbids it (gRPC's A6).
std::chrono::milliseconds read_pushback(std::string_view value) noexcept;

/// Returns "0" to "16".
std::string_view code_text(StatusCode code) noexcept;
/// Holds the values of the fields of a status that is sent. An object that is reused keeps its memory.
class StatusFields {
 public:
  /// Sets the values to those of `status`, in `room` bytes, counted as HTTP counts a list of fields. If these do not
  /// suffice, the details are left out, then the message is cut between characters. grpc-status is always there.
  void assign(const Status& status, std::size_t room);

  std::string_view code() const noexcept { return code_; }
  /// Returns the message. If it is empty, the field is not sent.
  std::string_view message() const noexcept { return as_text(message_.bytes()); }
  /// Returns the details. If they are empty, the field is not sent.
  std::string_view details() const noexcept { return as_text(details_.bytes()); }

 private:
  std::string_view code_ = "0";
  BufferWriter message_;
  BufferWriter details_;
  BufferWriter serialized_;
};

}  // namespace trunkline::session::web
