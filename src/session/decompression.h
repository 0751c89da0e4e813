// SPDX-License-Identifier: MIT
// decompress(): turns a compressed message, as events show it, back into its bytes, for every protocol.
#pragma once

#include "session/session.h"
#include "session/web/format.h"

#include <trunkline/compressor.h>
#include <trunkline/connection_limits.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstddef>

namespace trunkline::session {

/// Returns the most bytes to which a message of `compressed` bytes in the unsized form may decompress.
std::size_t most_decompressed(std::size_t compressed, const ConnectionLimits& limits) noexcept;
/// Returns the `size` bytes to which `payload` decompresses. Error: internal (it is corrupt, or of another size).
/// Throws whatever the compressor throws.
Result<Slice> decompress(const Compressor& compressor, ByteSpan payload, std::size_t size);
/// Decompresses `payload`, which has the compressor's unsized form, to at most `limit` bytes. Errors: internal (it is
/// corrupt), resource_exhausted (it has more than `limit` bytes). Throws whatever the compressor throws.
Result<Slice> decompress_unsized(const Compressor& compressor, ByteSpan payload, std::size_t limit);

/// Decompresses the message of an event without throwing: `owner` turns an exception into a status. `corrupt` is the
/// code of the error for a corrupt message.
Result<Slice> decompress_unsized(const Event& event, StatusCode corrupt, SessionOwner& owner);
/// Returns the code of the error for a corrupt request: internal for gRPC and gRPC-Web, as gRPC defines it, and
/// otherwise invalid_argument, because the client has made the request.
StatusCode code_of_corrupt_request(web::Format format) noexcept;

}  // namespace trunkline::session
