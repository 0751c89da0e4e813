// SPDX-License-Identifier: MIT
// crc32c(): computes CRC-32C by tables, eight bytes at a time.
#include <compression/crc32c.h>

#include <array>
#include <cstddef>

namespace trunkline::compression {
namespace {

constexpr std::size_t stride = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, stride>;

/// Makes the tables. The first one is for a byte; each further one is for a byte followed by one more byte of zero.
constexpr Tables make_tables() {
  constexpr std::uint32_t polynomial = 0x82F63B78;
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? polynomial : 0);
    tables[0][byte] = value;
  }
  for (std::size_t table = 1; table < stride; ++table) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[table - 1][byte];
      tables[table][byte] = before >> 8 ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr Tables tables = make_tables();

}  // namespace

std::uint32_t crc32c(ByteSpan bytes) noexcept {
  std::uint32_t value = 0xFFFFFFFF;
  const auto at = [&bytes](std::size_t index) { return std::to_integer<std::uint32_t>(bytes[index]); };
  for (; bytes.size() >= stride; bytes = bytes.subspan(stride)) {
    value ^= at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24;
    value = tables[7][value & 0xFF] ^ tables[6][value >> 8 & 0xFF] ^ tables[5][value >> 16 & 0xFF] ^
            tables[4][value >> 24] ^ tables[3][at(4)] ^ tables[2][at(5)] ^ tables[1][at(6)] ^ tables[0][at(7)];
  }
  for (const std::byte byte : bytes)
    value = value >> 8 ^ tables[0][(value ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
  return ~value;
}

}  // namespace trunkline::compression
