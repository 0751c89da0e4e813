// SPDX-License-Identifier: MIT
// Invalid options and URIs, which the constructor of the channel refuses by name.
#include <trunkline/channel.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace trunkline::client {

namespace {

std::string refusal(const std::function<void(ChannelOptions&)>& change) {
  ChannelOptions options;
  change(options);
  try {
    const Channel channel("inproc://nowhere", options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ChannelOptions, RefusesValuesOutOfRange) {
  EXPECT_EQ(refusal([](ChannelOptions&) {}), "accepted");
  EXPECT_EQ(refusal([](ChannelOptions& o) { o.max_connections = 0; }),
            "channel options: max_connections 0 is not 1 to 1024");
  EXPECT_EQ(refusal([](ChannelOptions& o) { o.max_http1_connections = 1025; }),
            "channel options: max_http1_connections 1025 is not 1 to 1024");
  EXPECT_EQ(refusal([](ChannelOptions& o) { o.max_retries = -1; }), "channel options: max_retries -1 is not 0 to 100");
  EXPECT_EQ(refusal([](ChannelOptions& o) { o.limits.max_frame_bytes = 1; }),
            "channel options: max_frame_bytes 1 is not 65536 to 268435456");
  EXPECT_EQ(refusal([](ChannelOptions& o) { o.limits.chunk_bytes = 1; }),
            "channel options: chunk_bytes 1 is not 1024 to 16777216");
  EXPECT_EQ(refusal([](ChannelOptions& o) { o.backoff.jitter = 1.5; }),
            "channel options: backoff.jitter 1.500000 is not 0 to 1");
  EXPECT_EQ(refusal([](ChannelOptions& o) { o.backoff.multiplier = 0.5; }),
            "channel options: backoff.multiplier 0.500000 is not 1 to 100");
  EXPECT_EQ(refusal([](ChannelOptions& o) { o.connect_timeout = std::chrono::milliseconds(0); }),
            "channel options: connect_timeout of 0 ms is not 1 ms to 365 days");
  EXPECT_EQ(refusal([](ChannelOptions& o) { o.idle_timeout = std::chrono::milliseconds(-1); }),
            "channel options: idle_timeout of -1 ms is not 0 ms to 365 days");
}

TEST(ChannelOptions, RefusesUnknownNamesAndInvalidCombinations) {
  EXPECT_EQ(refusal([](ChannelOptions& o) { o.compressor = "squeeze"; }),
            "channel options: compressor 'squeeze' is not among compressors");
  EXPECT_EQ(refusal([](ChannelOptions& o) { o.compressor = "identity"; }), "accepted");
  EXPECT_EQ(refusal([](ChannelOptions& o) { o.codecs = CodecRegistry(); }), "channel options: codecs is empty");
  EXPECT_EQ(refusal([](ChannelOptions& o) { o.ordered = true, o.max_connections = 2; }),
            "channel options: ordered needs max_connections 1, it is 2");
  EXPECT_EQ(refusal([](ChannelOptions& o) { o.interceptors = {nullptr}; }),
            "channel options: interceptors holds a null pointer");
}

TEST(ChannelUri, AnInvalidUriThrowsItsStatus) {
  try {
    const Channel channel("gopher://hole");
    FAIL() << "accepted";
  } catch (const StatusError& error) {
    EXPECT_EQ(error.status().code(), StatusCode::invalid_argument);
    EXPECT_THAT(std::string(error.status().message()), ::testing::HasSubstr("gopher"));
  }
}

}  // namespace

}  // namespace trunkline::client
