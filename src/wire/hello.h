// SPDX-License-Identifier: MIT
// Hello: the version, limits and names that each side announces at the start of a connection (docs/wire.md, section 3).
#pragma once

#include <trunkline/result.h>
#include <trunkline/slice.h>

#include <cstdint>
#include <string>
#include <vector>

namespace trunkline::wire {

inline constexpr std::uint32_t protocol_version = 1;
inline constexpr std::size_t max_hello_names = 32;
inline constexpr std::size_t max_hello_name_bytes = 64;

/// The values of a hello. The defaults are the early values: what a side assumes of its peer until its hello comes.
struct Hello {
  std::uint32_t version = protocol_version;
  std::uint32_t max_frame_bytes = 65536;
  std::uint64_t max_message_bytes = 4194304;
  std::uint32_t max_concurrent_calls = 128;
  std::uint32_t connection_credit = 1048576;
  std::uint32_t call_credit = 65536;
  std::uint32_t max_header_bytes = 8192;
  std::uint32_t max_methods = 256;
  std::vector<std::string> codecs;
  std::vector<std::string> compressors;
  std::vector<std::string> features;
  bool ordered = false;

  bool operator==(const Hello&) const = default;
};

/// Returns ok if write_hello() may write it: every value is at least the lowest allowed one, credits are at most 2^31 -
/// 1, and names are valid, at most 32 in a list, none of them twice. Error: invalid_argument naming the field.
Status check_hello(const Hello& hello);

/// Appends the whole frame. `hello` must pass check_hello(). Fields with their early value are left out, except the
/// version.
void write_hello(const Hello& hello, BufferWriter& out);

/// Reads a hello frame's body. Errors name the field: resource_exhausted (the body, a list, a name or a credit is over
/// its limit), internal.
Result<Hello> read_hello(ByteSpan body);

}  // namespace trunkline::wire
