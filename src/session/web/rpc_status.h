// SPDX-License-Identifier: MIT
// The message google.rpc.Status in protobuf's wire format, without protobuf: code = 1, message = 2, details = 3.
#pragma once

#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstddef>

namespace trunkline::session::web {

/// Returns the exact size of what append_rpc_status() appends.
std::size_t rpc_status_bytes(const Status& status) noexcept;

/// Appends the message. In its texts '?' stands for bytes that are not UTF-8, which protobuf forbids.
void append_rpc_status(const Status& status, BufferWriter& out);

/// Reads the message, and adds its details to `status` if its code is that of `status`. In texts '?' stands for bytes
/// that are not UTF-8. Returns false and adds nothing if the message is malformed or has another code.
bool add_details_of(ByteSpan rpc_status, Status& status);

}  // namespace trunkline::session::web
