// SPDX-License-Identifier: MIT
// decompress(): a compressed message as events show it, back to its bytes; the same for every protocol.
#pragma once

#include "session/session.h"
#include "session/web/format.h"

#include <trunkline/compressor.h>
#include <trunkline/connection_limits.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstddef>

namespace trunkline::session {

/// What a message of `compressed` bytes may decompress to in the unsized form.
std::size_t most_decompressed(std::size_t compressed, const ConnectionLimits& limits) noexcept;
/// The `size` bytes that `payload` decompresses to. Error: internal (corrupt, or not of that size). Throws what the
/// compressor throws.
Result<Slice> decompress(const Compressor& compressor, ByteSpan payload, std::size_t size);
/// What `payload`, in the compressor's unsized form, decompresses to, at most `limit` bytes. Errors: internal
/// (corrupt), resource_exhausted (more than `limit`). Throws what the compressor throws.
Result<Slice> decompress_unsized(const Compressor& compressor, ByteSpan payload, std::size_t limit);

/// The same for the message of an event, without exceptions: `owner` makes their status. `corrupt` is the code of what
/// is corrupt.
Result<Slice> decompress_unsized(const Event& event, StatusCode corrupt, SessionOwner& owner);
/// The code of a request that is corrupt: internal, as gRPC has it, otherwise invalid_argument, because the client has
/// made it.
StatusCode code_of_corrupt_request(web::Format format) noexcept;

}  // namespace trunkline::session
