// SPDX-License-Identifier: MIT
// The 8 bytes with which each side of a native connection begins.
#pragma once

#include <array>
#include <cstddef>

namespace trunkline::wire {

/// The bytes cannot begin HTTP/1, HTTP/2, TLS or Thrift. Bit 7 and the line end reveal a channel that alters bytes.
inline constexpr std::array<std::byte, 8> preface{std::byte{0xF5}, std::byte{'T'},  std::byte{'R'},  std::byte{'K'},
                                                  std::byte{'L'},  std::byte{0x0D}, std::byte{0x0A}, std::byte{0x01}};

}  // namespace trunkline::wire
