// SPDX-License-Identifier: MIT
// Writes the JSON of Connect: errors, and the end of streams ("Error", "EndStreamResponse").
#pragma once

#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <string_view>

namespace trunkline::session::web {

/// Returns what to_string() of a StatusCode does, but "canceled" for cancelled.
std::string_view connect_code_of(StatusCode code) noexcept;

/// Appends {"code":"not_found","message":"...","details":[{"type":"google.rpc.RetryInfo","value":"base64"}]}. In texts
/// '?' stands for bytes that are not UTF-8. `status` is not ok.
void append_connect_error(const Status& status, BufferWriter& out);
/// Appends {} or {"error":{...},"metadata":{"name":["value"]}}. `trailing` may be null.
void append_end_of_stream(const Status& status, const Metadata* trailing, BufferWriter& out);

}  // namespace trunkline::session::web
