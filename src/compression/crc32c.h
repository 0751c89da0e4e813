// SPDX-License-Identifier: MIT
// CRC-32C (Castagnoli), as RFC 3720, appendix B.4, defines it.
#pragma once

#include <trunkline/slice.h>

#include <cstdint>

namespace trunkline::compression {

std::uint32_t crc32c(ByteSpan bytes) noexcept;

}  // namespace trunkline::compression
