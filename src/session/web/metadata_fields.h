// SPDX-License-Identifier: MIT
// Says which metadata gRPC can carry as header fields, and how.
#pragma once

#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <string_view>

namespace trunkline::session::web {

/// Returns true for a name whose values are arbitrary bytes, sent as base64.
constexpr bool is_binary_name(std::string_view name) noexcept { return name.ends_with("-bin"); }

/// Returns true for a name, in lower case, that applications may not send, because HTTP or gRPC gives it a meaning:
/// ':...', 'grpc-...', content-type, te, user-agent and the like.
bool is_reserved_name(std::string_view name) noexcept;

/// Returns true for a name, in lower case, that is no metadata when it is received: the fields of HTTP and gRPC that
/// this implementation understands, user-agent and accept-encoding. grpc-previous-rpc-attempts and unknown grpc- fields
/// reach the application.
bool is_protocol_name(std::string_view name) noexcept;

/// Returns ok if all entries can be sent: names consist of [a-z0-9_.-] and are not reserved; values under names without
/// "-bin" consist of 0x20 to 0x7E. Error: invalid_argument, which names the entry but not its value.
Status check_sendable(const Metadata& metadata);

/// Returns the value of the header field for an entry that can be sent. It is a view of `value` without the spaces at
/// its ends or, under a binary name, of its base64 in `room`, whose content is replaced.
std::string_view field_value(std::string_view name, std::string_view value, BufferWriter& room);

}  // namespace trunkline::session::web
