// SPDX-License-Identifier: MIT
// StatusFields: the header fields grpc-status, grpc-message and grpc-status-details-bin of a status.
#pragma once

#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <algorithm>
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

/// Returns how long a list of fields may be so that a peer which has announced `announced` as its
/// SETTINGS_MAX_HEADER_LIST_SIZE takes it for certain. gRPC's core, and so grpcio, announces the limit beyond which it
/// takes nothing, and refuses some lists that are longer than a lower one: 8 KiB by default, where it announces 16 KiB,
/// or else four fifths (its channel arguments grpc.max_metadata_size and grpc.absolute_max_metadata_size).
constexpr std::size_t certain_list_bytes(std::size_t announced) noexcept {
  constexpr std::size_t default_hard_limit = 16384;
  constexpr std::size_t default_soft_limit = 8192;
  return announced <= default_hard_limit ? std::min(announced, default_soft_limit) : announced / 5 * 4;
}

/// Returns "0" to "16".
std::string_view code_text(StatusCode code) noexcept;
/// Holds the values of the fields of a status that is sent. An object that is reused keeps its memory.
class StatusFields {
 public:
  /// The longest message, percent-encoded. With the other fields it is below the 8 KiB that gRPC's own clients take.
  static constexpr std::size_t max_message_bytes = 4096;

  /// Sets the values to those of `status`, in `room` bytes, counted as HTTP counts a list of fields. If these do not
  /// suffice, the details are left out, of which the message then tells, and the message is cut between characters.
  /// grpc-status is always there.
  void assign(const Status& status, std::size_t room);

  std::string_view code() const noexcept { return code_; }
  /// Returns the message. If it is empty, the field is not sent.
  std::string_view message() const noexcept { return as_text(message_.bytes()); }
  /// Returns the details. If they are empty, the field is not sent.
  std::string_view details() const noexcept { return as_text(details_.bytes()); }

 private:
  void tell_of_details(const Status& status, std::size_t bytes, std::size_t most);

  std::string_view code_ = "0";
  BufferWriter message_;
  BufferWriter details_;
  BufferWriter serialized_;
};

}  // namespace trunkline::session::web
