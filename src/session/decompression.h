// SPDX-License-Identifier: MIT
// decompress(): a compressed message as events show it, back to its bytes; the same for every protocol.
#pragma once

#include <trunkline/compressor.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstddef>

namespace trunkline::session {

/// The `size` bytes that `payload` decompresses to. Error: internal (corrupt, or not of that size). Throws what the
/// compressor throws.
Result<Slice> decompress(const Compressor& compressor, ByteSpan payload, std::size_t size);
/// What `payload`, in the compressor's unsized form, decompresses to, at most `limit` bytes. Errors: internal
/// (corrupt), resource_exhausted (more than `limit`). Throws what the compressor throws.
Result<Slice> decompress_unsized(const Compressor& compressor, ByteSpan payload, std::size_t limit);

}  // namespace trunkline::session
