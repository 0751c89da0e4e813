// SPDX-License-Identifier: MIT
// sha1(): the examples of the standard, and every size around a block.
#include "http/websocket/sha1.h"

#include "unit/http/hex.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::http::websocket {
namespace {

std::string digest(std::string_view text) { return to_hex(sha1(text)); }

TEST(Sha1, HashesTheExamplesOfTheStandard) {
  // FIPS 180, and the key of RFC 6455, section 1.3.
  EXPECT_EQ(digest("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(digest("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11"),
            "b37a4f2cc0624f1690f64606cf385945b2bec4ea");
  EXPECT_EQ(digest(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

TEST(Sha1, HashesEverySizeAroundABlock) {
  // Made with Python's hashlib: sha1(b"".join(sha1(b"a" * n).digest() for n in range(130))).
  std::string all;
  for (std::size_t size = 0; size < 130; ++size) {
    const auto part = sha1(std::string(size, 'a'));
    all.append(reinterpret_cast<const char*>(part.data()), part.size());
  }

  EXPECT_EQ(digest(all), "f4def80e0e53c803b671aed255f87d83c3a1fe29");
}

}  // namespace
}  // namespace trunkline::http::websocket
