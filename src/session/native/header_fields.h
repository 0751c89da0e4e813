// SPDX-License-Identifier: MIT
// Header fields of outgoing frames: metadata and statuses as bytes of a header block, without its size.
#pragma once

#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstddef>

namespace trunkline::session::native {

/// Returns an upper bound of the size of what encode_metadata() returns.
inline std::size_t max_encoded_bytes(const Metadata& metadata) noexcept {
  return metadata.total_bytes() + 6 * metadata.size();
}

Slice encode_metadata(const Metadata& metadata);

/// Returns true if a finish frame's header block of `room` bytes has room for `trailing`, if any, beside a status.
bool fits_finish(const Metadata* trailing, std::size_t room) noexcept;

/// Encodes the status's message and details, and `trailing`, which may be null and fits_finish(). Details that do not
/// fit into `room` bytes are left out, and the message is cut. Returns nothing if there is nothing to encode.
Slice encode_finish_fields(const Status& status, const Metadata* trailing, std::size_t room);

inline Slice encode_status_fields(const Status& status, std::size_t room) {
  return encode_finish_fields(status, nullptr, room);
}

}  // namespace trunkline::session::native
