// SPDX-License-Identifier: MIT
// Checks metadata against gRPC's rules, and makes the values of fields.
#include "session/web/metadata_fields.h"

#include "codec/base64.h"
#include "wire/header_block.h"
#include "wire/text.h"

#include <algorithm>
#include <array>
#include <string>

namespace trunkline::session::web {
namespace {

/// These fields of HTTP belong to one message or connection.
constexpr std::array<std::string_view, 9> http_names{
    "connection", "content-length", "content-type",      "host", "keep-alive", "proxy-connection",
    "te",         "trailer",        "transfer-encoding",
};
constexpr std::array<std::string_view, 7> grpc_names{
    "grpc-accept-encoding", "grpc-encoding",           "grpc-message", "grpc-message-type",
    "grpc-status",          "grpc-status-details-bin", "grpc-timeout",
};

template <std::size_t size>
bool contains(const std::array<std::string_view, size>& names, std::string_view name) noexcept {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_http_name(std::string_view name) noexcept {
  return name.starts_with(':') || name == "upgrade" || contains(http_names, name);
}

Status refusal(std::string_view name, std::string_view reason) {
  std::string text = "send metadata over gRPC: entry ";
  text.append(name).append(" ").append(reason);
  return {StatusCode::invalid_argument, text};
}

}  // namespace

bool is_reserved_name(std::string_view name) noexcept {
  return name.starts_with("grpc-") || name == "user-agent" || is_http_name(name);
}

bool is_protocol_name(std::string_view name) noexcept {
  return is_http_name(name) || name == "user-agent" || name == "accept-encoding" ||
         (name.starts_with("grpc-") && contains(grpc_names, name));
}

Status check_sendable(const Metadata& metadata) {
  for (const Metadata::Entry& entry : metadata) {
    if (!wire::is_name(entry.name, wire::max_metadata_name_bytes)) {
      return refusal(entry.name, "has a name of other characters than [a-z0-9_.-]");
    }
    if (is_reserved_name(entry.name)) return refusal(entry.name, "has a name that is reserved");
    if (is_binary_name(entry.name)) continue;
    const bool is_printable = std::all_of(entry.value.begin(), entry.value.end(),
                                          [](char letter) { return letter >= 0x20 && letter <= 0x7E; });
    if (!is_printable) return refusal(entry.name, "has a value that is not printable ASCII; its name must end in -bin");
  }
  return {};
}

std::string_view field_value(std::string_view name, std::string_view value, BufferWriter& room) {
  if (is_binary_name(name)) {
    room.clear();
    codec::append_unpadded_base64(as_bytes(value), room);
    return as_text(room.bytes());
  }
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
  return value;
}

}  // namespace trunkline::session::web
