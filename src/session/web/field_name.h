// SPDX-License-Identifier: MIT
// FieldName: the header fields of a request to which Connect, gRPC-Web or plain HTTP give a meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trunkline::session::web {

enum class FieldName : std::uint8_t {
  accept,
  accept_encoding,
  access_control_request_headers,
  access_control_request_method,
  connect_accept_encoding,
  connect_content_encoding,
  connect_protocol_version,
  connect_timeout_ms,
  content_encoding,
  content_type,
  grpc_accept_encoding,
  grpc_encoding,
  grpc_timeout,
  origin,
  sec_fetch_site,
};
inline constexpr std::size_t field_name_count = 15;

/// Returns the name in lower case.
std::string_view to_string(FieldName name) noexcept;

/// Sets `out` and returns true if `name`, in lower case, is one of these fields.
bool find_field_name(std::string_view name, FieldName& out) noexcept;

/// Returns true for the fields that are metadata of the call too.
constexpr bool is_metadata_too(FieldName name) noexcept {
  switch (name) {
    case FieldName::accept:
    case FieldName::access_control_request_headers:
    case FieldName::access_control_request_method:
    case FieldName::origin:
    case FieldName::sec_fetch_site:
      return true;
    default:
      return false;
  }
}

}  // namespace trunkline::session::web
