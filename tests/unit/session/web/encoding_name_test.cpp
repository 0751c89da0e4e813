// SPDX-License-Identifier: MIT
// Which names of peers mean which compressor.
#include "session/web/encoding_name.h"

#include <gtest/gtest.h>

namespace trunkline::session::web {
namespace {

TEST(EncodingName, ItsCaseDoesNotMatter) {
  for (const std::string_view name : {"gzip", "GZIP", "Gzip", "x-gzip", "X-GZip"}) {
    EXPECT_TRUE(names_encoding(name, "gzip")) << name;
  }
  EXPECT_TRUE(names_encoding("ZSTD", "zstd"));
  for (const std::string_view name : {"identity", "Identity", ""}) EXPECT_TRUE(names_identity(name)) << name;
}

TEST(EncodingName, OthersAreNotTheSame) {
  for (const std::string_view name : {"", "gzi", "gzipp", "x-gzi", "xx-gzip", "x_gzip"}) {
    EXPECT_FALSE(names_encoding(name, "gzip")) << name;
  }
  EXPECT_FALSE(names_encoding("x-zstd", "zstd"));
  EXPECT_FALSE(names_identity("x-identity"));
}

}  // namespace
}  // namespace trunkline::session::web
