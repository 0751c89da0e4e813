// SPDX-License-Identifier: MIT
// Compressed messages of a gRPC client: what they may decompress to, and what that costs credit.
#include "unit/session/grpc/http2_client.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace trunkline::session::grpc {
namespace {

constexpr std::size_t kib = 1024;

/// Decompresses anything to any size. In place of gzip, whose sizes a test could not choose.
class Inflater final : public Compressor {
 public:
  explicit Inflater(std::size_t& made) noexcept : made_(made) {}
  std::string_view name() const noexcept override { return "gzip"; }
  Status compress(ByteSpan, BufferWriter&) const override { return {StatusCode::internal, "not used"}; }
  Status decompress(ByteSpan, MutableByteSpan out) const override {
    made_ += out.size();
    std::fill(out.begin(), out.end(), std::byte{'x'});
    return {};
  }

 private:
  std::size_t& made_;
};

class CompressedMessages : public ::testing::Test {
 protected:
  CompressedMessages() { compressors.add(std::make_shared<Inflater>(made)); }

  /// Decompresses a message of `bytes` bytes that claims to come from `size`.
  Status decompress(std::size_t bytes, std::uint32_t size) {
    SessionOptions options = kit::plain_options();
    options.compressors = &compressors;
    options.limits.max_message_bytes = 1024 * kib;
    options.limits.max_decompression_ratio = 100;
    Http2Client client(options);
    Status status(StatusCode::unknown, "no call");
    client.on_event = [&](Event& event) {
      if (event.type != EventType::call) return;
      EXPECT_TRUE(event.is_compressed);
      status = client.session().decompress(event);
      payload = std::string(as_text(event.payload));
      further_credit = event.credit.further_bytes;
    };
    std::string message(bytes, 'c');
    for (std::size_t i = 0; i < sizeof size; ++i) message[bytes - sizeof size + i] = static_cast<char>(size >> 8 * i);
    client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B", {{"grpc-encoding", "gzip"}})) +
                Http2Client::data(1, Http2Client::message(message, 1), true));
    return status;
  }

  CompressorRegistry compressors;
  std::size_t made = 0;
  std::string payload;
  std::size_t further_credit = 0;
};

TEST_F(CompressedMessages, CostCreditForWhatTheyDecompressTo) {
  EXPECT_EQ(decompress(1000, 100000), Status::ok());
  EXPECT_EQ(payload, std::string(100000, 'x'));
  EXPECT_EQ(further_credit, 99000u);
}

TEST_F(CompressedMessages, OverTheRatioTakeNoMemory) {
  EXPECT_EQ(decompress(1000, 101000),
            Status(StatusCode::resource_exhausted,
                   "decompress message: 1000 bytes to 101000, which exceeds max_decompression_ratio 100"));
  EXPECT_EQ(made, 0u);
}

TEST_F(CompressedMessages, OfLittleMayHaveAnyRatio) {
  EXPECT_EQ(decompress(10, 64 * kib), Status::ok());
  EXPECT_EQ(decompress(10, 64 * kib + 1).code(), StatusCode::resource_exhausted);
}

TEST_F(CompressedMessages, OverTheLongestMessageTakeNoMemory) {
  EXPECT_EQ(decompress(12 * kib, 1024 * kib), Status::ok());
  made = 0;

  EXPECT_EQ(decompress(12 * kib, 1024 * kib + 1),
            Status(StatusCode::resource_exhausted, "receive message: size 1048577 exceeds max_message_bytes 1048576"));
  EXPECT_EQ(made, 0u);
}

}  // namespace
}  // namespace trunkline::session::grpc
