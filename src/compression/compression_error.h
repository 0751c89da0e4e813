// SPDX-License-Identifier: MIT
// Makes the error statuses of compressors.
#pragma once

#include <trunkline/status.h>

#include <cstddef>
#include <string_view>

namespace trunkline::compression {

/// Returns internal, "compress <name>: <reason>".
Status compress_error(std::string_view name, std::string_view reason);
/// Returns internal, "compress <name>: input of <size> bytes exceeds <limit>".
Status input_too_long(std::string_view name, std::size_t size, std::size_t limit);

/// Returns invalid_argument, "decompress <name>: <reason>".
Status decompress_error(std::string_view name, std::string_view reason);
/// Returns invalid_argument, "decompress <name>: <in> bytes do not decompress to <out>".
Status corrupt(std::string_view name, std::size_t input_bytes, std::size_t out_bytes);

/// Returns invalid_argument, "decompress <name>: <in> bytes are corrupt".
Status corrupt_unsized(std::string_view name, std::size_t input_bytes);
/// Returns resource_exhausted, "decompress <name>: <in> bytes make more than <limit>".
Status exceeds_limit(std::string_view name, std::size_t input_bytes, std::size_t limit);
/// Returns resource_exhausted, "decompress <name>: out of memory".
Status out_of_memory(std::string_view name);

}  // namespace trunkline::compression
