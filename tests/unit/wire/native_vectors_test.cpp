// SPDX-License-Identifier: MIT
// Replays tests/vectors/native_v1.json: every frame decodes to its meaning and back, every invalid one is refused.
#include "unit/wire/vector_codec.h"

#include "wire/detector.h"
#include "wire/preface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace trunkline::wire {
namespace {

using nlohmann::json;

const json& vectors() {
  static const json parsed = json::parse(std::ifstream(TRUNKLINE_VECTORS));
  return parsed;
}

Sender sender_of(const json& vector) { return vector.at("from") == "client" ? Sender::client : Sender::server; }

std::vector<json> all_frames() {
  std::vector<json> frames(vectors().at("valid").begin(), vectors().at("valid").end());
  for (const json& conversation : vectors().at("conversations")) {
    for (const json& frame : conversation.at("frames")) {
      if (!frame.at("meaning").contains("preface")) frames.push_back(frame);
    }
  }
  return frames;
}

TEST(NativeVectors, HoldFramesConversationsAndInvalidOnes) {
  EXPECT_GE(vectors().at("valid").size(), 80U);
  EXPECT_GE(vectors().at("conversations").size(), 13U);
  EXPECT_GE(vectors().at("context").size(), 58U);
  EXPECT_GE(vectors().at("compressed").size(), 8U);
  EXPECT_GE(vectors().at("invalid").size(), 190U);
}

TEST(NativeVectors, CoverEveryTypeAndFlag) {
  std::set<std::string> types;
  std::set<std::string> flags;

  for (const json& vector : all_frames()) {
    if (!vector.at("meaning").contains("flags")) continue;
    types.insert(vector.at("meaning").at("type").get<std::string>());
    for (const json& flag : vector.at("meaning").at("flags")) flags.insert(flag.get<std::string>());
  }

  EXPECT_THAT(types, testing::UnorderedElementsAre("hello", "call", "message", "finish", "cancel", "credit", "ping",
                                                   "pong", "goaway"));
  EXPECT_THAT(flags, testing::UnorderedElementsAre("headers", "message", "more", "end", "one_way", "unprocessed"));
}

TEST(NativeVectors, DecodeToTheirMeaning) {
  for (const json& vector : all_frames()) {
    SCOPED_TRACE(vector.dump());
    const std::vector<std::byte> bytes = bytes_of_hex(vector.at("bytes"));

    const DecodedFrame frame = decode_frame(bytes, sender_of(vector));

    EXPECT_EQ(frame.status, Status::ok());
    EXPECT_TRUE(frame.complete);
    EXPECT_EQ(frame.taken, bytes.size());
    EXPECT_EQ(frame.meaning, vector.at("meaning")) << frame.meaning.dump();
  }
}

TEST(NativeVectors, EncodeToTheirBytes) {
  for (const json& vector : all_frames()) {
    if (vector.value("decode_only", false)) continue;
    SCOPED_TRACE(vector.dump());

    const std::vector<std::byte> bytes = encode_frame(vector.at("meaning"));

    EXPECT_EQ(hex_of(bytes), hex_of(bytes_of_hex(vector.at("bytes"))));
  }
}

TEST(NativeVectors, DecodeOnlyOnesMeanTheSameAfterEncoding) {
  for (const json& vector : all_frames()) {
    if (!vector.value("decode_only", false) || vector.at("meaning").contains("skipped_bytes")) continue;
    SCOPED_TRACE(vector.dump());

    const DecodedFrame frame = decode_frame(encode_frame(vector.at("meaning")), sender_of(vector));

    EXPECT_EQ(frame.meaning, vector.at("meaning"));
  }
}

TEST(NativeVectors, WaitForTheirLastByte) {
  for (const json& vector : all_frames()) {
    SCOPED_TRACE(vector.dump());
    const std::vector<std::byte> bytes = bytes_of_hex(vector.at("bytes"));

    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const DecodedFrame frame = decode_frame(ByteSpan(bytes).first(size), sender_of(vector));

      EXPECT_FALSE(frame.complete) << size;
      EXPECT_TRUE(frame.status.is_ok()) << size;
    }
  }
}

TEST(NativeVectors, InvalidOnesAreRefusedWithTheirCode) {
  for (const json& vector : vectors().at("invalid")) {
    SCOPED_TRACE(vector.dump());

    const DecodedFrame frame = decode_frame(bytes_of_hex(vector.at("bytes")), sender_of(vector));

    EXPECT_FALSE(frame.complete);
    EXPECT_EQ(static_cast<int>(frame.status.code()), vector.at("code").get<int>()) << frame.status.to_string();
    EXPECT_THAT(std::string(frame.status.message()), testing::StartsWith("decode "));
  }
}

TEST(NativeVectors, PrefaceIsTheOneInUse) {
  const std::vector<std::byte> bytes = bytes_of_hex(vectors().at("preface"));

  EXPECT_EQ(bytes, std::vector<std::byte>(preface.begin(), preface.end()));
  for (const json& conversation : vectors().at("conversations")) {
    EXPECT_EQ(conversation.at("frames").at(0).at("bytes"), vectors().at("preface"));
  }
}

TEST(NativeVectors, WrongPrefacesAreNotNative) {
  for (const json& vector : vectors().at("wrong_prefaces")) {
    SCOPED_TRACE(vector.dump());

    EXPECT_NE(detect(bytes_of_hex(vector.at("bytes"))), DetectedProtocol::native);
  }
}

}  // namespace
}  // namespace trunkline::wire
