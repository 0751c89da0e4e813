// SPDX-License-Identifier: MIT
// MethodInfo: what a server tells about one of its methods.
#pragma once

#include <trunkline/message.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline {

/// The kind of a method: it tells which side sends a stream of messages instead of one message.
enum class MethodKind : std::uint8_t { unary, client_stream, server_stream, bidirectional };

TRUNKLINE_API std::string_view to_string(MethodKind kind) noexcept;

/// One entry of Server::methods().
struct MethodInfo {
  std::string name;
  MethodKind kind = MethodKind::unary;
  /// The name of the type: the full name for protobuf, "bytes" for Slice and std::string, and nothing for Empty.
  std::string request_type{};
  std::string response_type{};
  bool idempotent = false;
  bool no_side_effects = false;
  /// True if the method is served only on endpoints of Server::listen_private().
  bool is_private = false;
  const MessageType* request = nullptr;
  const MessageType* response = nullptr;
  /// The text of MethodOptions::description.
  std::string description{};
  /// The text of ServiceDefinition::describe().
  std::string service_description{};
};

}  // namespace trunkline
