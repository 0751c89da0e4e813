// SPDX-License-Identifier: MIT
// MessageFields: the fields of a head, and their meaning for the message and its connection.
#pragma once

#include "http/http1/field.h"
#include "http/http1/message_error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace trunkline::http::http1 {

/// Views of the head that was read. The object serves message after message, and allocates nothing in the long run.
struct MessageFields {
  std::vector<Field> fields;
  /// The value of Host; empty: there is none.
  std::string_view host;
  std::string_view content_type;
  /// The protocol that Upgrade names, if Connection names Upgrade.
  std::string_view upgrade;
  std::optional<std::uint64_t> content_length;
  bool is_chunked = false;
  bool expects_continue = false;
  bool has_host = false;
  /// The options that Connection has.
  bool has_close = false;
  bool has_keep_alive = false;

  /// Returns the value of the first field of the name `lower_case`, which is in lower case; nullptr if there is none.
  const std::string_view* find(std::string_view lower_case) const noexcept;

  /// Reads the lines of a head after the first one, each with its end. Any error means that the message must not be
  /// taken, because others may see another end of it (RFC 9112, section 11.2).
  MessageError read(std::string_view lines, std::size_t max_fields);
  /// Reads the lines of trailers, which have no say in how the message is sent: such fields are errors. The other
  /// trailers stay in `fields` behind the fields of the head.
  MessageError read_trailers(std::string_view lines, std::size_t max_fields);
  void clear() noexcept;

 private:
  MessageError take(const Field& field) noexcept;
  MessageError take_content_length(std::string_view value) noexcept;
  MessageError take_transfer_encoding(std::string_view value) noexcept;
  MessageError take_connection(std::string_view value) noexcept;
  MessageError take_host(std::string_view value) noexcept;

  bool has_transfer_encoding_ = false;
  bool has_upgrade_option_ = false;
};

/// Returns true for fields that are about one connection, or about how the message is sent, and mean nothing above.
bool is_connection_field(std::string_view name) noexcept;

}  // namespace trunkline::http::http1
