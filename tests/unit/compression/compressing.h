// SPDX-License-Identifier: MIT
// Shared by the tests of compressors: every built-in compressor, contents to compress, guarded decompression.
#pragma once

#include <trunkline/compressor.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace trunkline::test {

inline const CompressorRegistry& compressors() {
  static const CompressorRegistry registry = CompressorRegistry::with_defaults();
  return registry;
}

inline std::vector<std::string> compressor_names() {
  std::vector<std::string> names;
  for (const auto& each : compressors().compressors()) names.emplace_back(each->name());
  return names;
}

/// Runs a test once for each compressor that is built in.
class EveryCompressor : public testing::TestWithParam<std::string> {
 protected:
  const Compressor& compressor() const { return *compressors().find(GetParam()); }

  std::string compressed(std::string_view content) const {
    BufferWriter out;
    const Status status = compressor().compress(as_bytes(content), out);
    EXPECT_TRUE(status.is_ok()) << status.to_string();
    return std::string(as_text(out.bytes()));
  }
};

constexpr std::size_t guard_bytes = 64;
constexpr char guard = '\x5A';

/// Decompresses into `size` bytes that have guards on both sides; fails the test if a guard is touched.
inline Status decompress(const Compressor& compressor, std::string_view input, std::size_t size, std::string& content) {
  std::string memory(size + 2 * guard_bytes, guard);
  const Status status =
      compressor.decompress(as_bytes(input), {reinterpret_cast<std::byte*>(memory.data()) + guard_bytes, size});
  EXPECT_EQ(memory.substr(0, guard_bytes), std::string(guard_bytes, guard));
  EXPECT_EQ(memory.substr(guard_bytes + size), std::string(guard_bytes, guard));
  content = memory.substr(guard_bytes, size);
  return status;
}

/// The decompressed content, or "! " and the status. `name` is a built-in compressor.
inline std::string decompressed(std::string_view name, std::string_view input, std::size_t size) {
  std::string content;
  const Status status = decompress(*compressors().find(name), input, size, content);
  return status.is_ok() ? content : "! " + status.to_string();
}

/// TRUNKLINE_SEED, or a random seed; printed so that a failure can be reproduced.
inline std::uint64_t seed() {
  const char* given = std::getenv("TRUNKLINE_SEED");
  const std::uint64_t value = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "TRUNKLINE_SEED=" << value << std::endl;
  return value;
}

inline std::string noise(std::size_t size, std::uint64_t seed_value) {
  std::mt19937_64 engine(seed_value);
  std::string content(size, '\0');
  for (char& c : content) c = static_cast<char>(engine());
  return content;
}

/// Text with repetitions, but not only repetitions.
inline std::string prose(std::size_t size) {
  std::string content;
  for (std::size_t i = 0; content.size() < size; ++i) content += "call " + std::to_string(i * i % 977) + " finished; ";
  content.resize(size);
  return content;
}

}  // namespace trunkline::test
