// SPDX-License-Identifier: MIT
// FrameHeader: layout, and every rule of docs/wire.md, section 2, against a plain model of its tables.
#include "wire/frame.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace trunkline::wire {
namespace {

std::string refusal_of(const FrameHeader& header, Sender from) {
  Status why;
  const FrameVerdict verdict = check_header(header, from, why);
  return verdict == FrameVerdict::refuse ? std::string(why.message()) : std::string();
}

/// Section 2 read line by line, for known types.
bool model_accepts(FrameHeader h, Sender from) {
  h.flags &= 0x7F;  // bit 7 is ignored
  const bool headers = h.flags & 0x01, message = h.flags & 0x02, more = h.flags & 0x04;
  const bool end = h.flags & 0x08, one_way = h.flags & 0x10, unprocessed = h.flags & 0x20;
  const bool bare = h.flags == 0 && h.codec == 0 && h.compressor == 0;
  switch (static_cast<unsigned>(h.type)) {
    case 1:
      return bare && h.call == 0 && h.number == 0 && h.length <= 16384;
    case 2:
      if (from == Sender::server || h.flags > 0x1F) return false;
      if (h.number == 0 && !headers) return false;
      if (message && h.codec == 0 && (more || (!headers && h.length > 0))) return false;
      break;
    case 3:
      if (h.flags > 0x0F || h.number != 0) return false;
      break;
    case 4:
      if (from == Sender::client || (h.flags & ~0x23) != 0 || h.number > 16) return false;
      if (h.number == 0 ? unprocessed : message) return false;
      break;
    case 5:
      return from == Sender::client && bare && h.call != 0 && (h.number == 1 || h.number == 4) && h.length == 0;
    case 6:
      return bare && h.number >= 1 && h.number <= 0x7FFFFFFF && h.length == 0;
    case 7:
    case 8:
      return bare && h.call == 0 && h.number == 0 && h.length == 8;
    case 9:
      return bare && h.number <= 16 && h.length <= 1024;
    default:
      return false;
  }
  if (h.call == 0 || (more && (!message || end)) || (one_way && !end && !more)) return false;
  if (!message && (h.codec != 0 || h.compressor != 0)) return false;
  if (h.compressor != 0 && h.codec == 0) return false;
  return headers ? h.length >= 4 : message || h.length == 0;
}

constexpr FrameHeader good_call{
    .length = 4, .type = FrameType::call, .flags = flag::message | flag::end, .codec = 1, .call = 1, .number = 1};
constexpr FrameHeader good_finish{
    .length = 4, .type = FrameType::finish, .flags = flag::message, .codec = 1, .call = 1};

TEST(FrameHeader, IsLittleEndianInTheOrderOfTheSpecification) {
  const FrameHeader header{0x04030201, FrameType::finish, 0x06, 0x07, 0x08, 0x0C0B0A09, 0x100F0E0D};
  std::array<std::byte, header_bytes> bytes{};

  write_header(header, bytes.data());

  const std::array<unsigned, header_bytes> expected{1, 2, 3, 4, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  for (std::size_t i = 0; i < header_bytes; ++i) EXPECT_EQ(std::to_integer<unsigned>(bytes[i]), expected[i]) << i;
}

TEST(FrameHeader, ReadsWhatWasWrittenAtAnyAlignment) {
  const FrameHeader header{0xFFFFFFFE, FrameType::credit, 0xFD, 0xFC, 0xFB, 0xFFFFFFFA, 0xFFFFFFF9};
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::array<std::byte, header_bytes + 8> bytes{};

    write_header(header, bytes.data() + shift);

    EXPECT_EQ(read_header(bytes.data() + shift), header);
  }
}

TEST(CheckHeader, AgreesWithTheTablesForEveryCombination) {
  std::vector<std::uint8_t> flags{0x40, 0x80, 0xC0, 0xFF};
  for (std::uint8_t low = 0; low < 64; ++low) flags.push_back(low);
  std::size_t accepted = 0;
  for (Sender from : {Sender::client, Sender::server}) {
    for (unsigned type = 1; type <= 9; ++type) {
      for (std::uint8_t flag_bits : flags) {
        for (unsigned fields = 0; fields < 8; ++fields) {
          for (std::uint32_t number : {0U, 1U, 2U, 3U, 4U, 5U, 16U, 17U, 0x7FFFFFFFU, 0x80000000U}) {
            for (std::uint32_t length : {0U, 1U, 3U, 4U, 7U, 8U, 9U, 1024U, 1025U, 16384U, 16385U}) {
              const FrameHeader header{length,
                                       static_cast<FrameType>(type),
                                       flag_bits,
                                       static_cast<std::uint8_t>(fields & 1),
                                       static_cast<std::uint8_t>(fields >> 1 & 1),
                                       fields >> 2 & 1,
                                       number};
              Status why;

              const FrameVerdict verdict = check_header(header, from, why);

              const bool expected = model_accepts(header, from);
              accepted += expected ? 1 : 0;
              ASSERT_EQ(verdict, expected ? FrameVerdict::accept : FrameVerdict::refuse)
                  << to_string(header.type) << " flags " << int{flag_bits} << " fields " << fields << " number "
                  << number << " length " << length << ": " << why.to_string();
              ASSERT_EQ(why.is_ok(), expected);
            }
          }
        }
      }
    }
  }
  EXPECT_GT(accepted, 1000U);
}

TEST(CheckHeader, RefusesEveryUnknownTypeBelow80) {
  for (unsigned type = 0; type < 0x80; ++type) {
    if (type >= 1 && type <= 9) continue;
    Status why;

    EXPECT_EQ(check_header({.type = static_cast<FrameType>(type)}, Sender::client, why), FrameVerdict::refuse) << type;
    EXPECT_EQ(why.code(), StatusCode::internal);
  }
}

TEST(CheckHeader, SkipsEveryTypeFrom80WhateverItsFields) {
  for (unsigned type = 0x80; type <= 0xFF; ++type) {
    Status why;

    EXPECT_EQ(check_header({7, static_cast<FrameType>(type), 0xFF, 9, 9, 9, 9}, Sender::server, why),
              FrameVerdict::skip);
    EXPECT_TRUE(why.is_ok());
  }
}

TEST(CheckHeader, RefusesEveryUnknownFlagBut80OfEveryType) {
  const std::array<unsigned, 10> allowed{0, 0, 0x1F, 0x0F, 0x23, 0, 0, 0, 0, 0};
  for (unsigned type = 1; type <= 9; ++type) {
    for (unsigned bit = 1; bit < 0x80; bit <<= 1) {
      if ((allowed[type] & bit) != 0) continue;
      const Sender from = type == 4 ? Sender::server : Sender::client;
      const FrameHeader header{
          .type = static_cast<FrameType>(type), .flags = static_cast<std::uint8_t>(bit), .call = 1, .number = 1};

      EXPECT_NE(refusal_of(header, from).find("frame has flags 0x"), std::string::npos) << type << " " << bit;
    }
  }
}

TEST(CheckHeader, LeavesWhyUnchangedForAnAcceptedFrame) {
  Status why(StatusCode::aborted, "kept");

  EXPECT_EQ(check_header(good_call, Sender::client, why), FrameVerdict::accept);
  EXPECT_EQ(why.message(), "kept");
}

FrameHeader with(FrameHeader header, void (*change)(FrameHeader&)) {
  change(header);
  return header;
}

TEST(CheckHeader, NamesTheFault) {
  const struct {
    FrameHeader header;
    Sender from;
    const char* text;
  } cases[] = {
      {{.type = static_cast<FrameType>(10)}, Sender::client, "decode frame: unknown type 0x0a"},
      {good_call, Sender::server, "decode frame: call frame comes from a server"},
      {good_finish, Sender::client, "decode frame: finish frame comes from a client"},
      {with(good_call, [](auto& h) { h.flags = 0x2A; }), Sender::client,
       "decode frame: call frame has flags 0x2a, allowed are 0x1f"},
      {with(good_call, [](auto& h) { h.flags = 0x0C; }), Sender::client,
       "decode frame: call frame has flag more without message"},
      {with(good_call, [](auto& h) { h.flags = 0x0E; }), Sender::client,
       "decode frame: call frame has flag more together with end"},
      {with(good_call, [](auto& h) { h.flags = 0x12; }), Sender::client,
       "decode frame: call frame has flag one_way without end or more"},
      {with(good_call, [](auto& h) { h.call = 0; }), Sender::client,
       "decode frame: call frame has call 0, must be an id"},
      {with(good_call, [](auto& h) { h.flags = 8; }), Sender::client,
       "decode frame: call frame has codec 1 without flag message"},
      {with(good_call, [](auto& h) { h.codec = 0; }), Sender::client,
       "decode frame: call frame has a message without codec that is not empty"},
      {with(good_call, [](auto& h) { h.codec = 0, h.flags = 6, h.length = 0; }), Sender::client,
       "decode frame: call frame has flag more without codec"},
      {with(good_call, [](auto& h) { h.codec = 0, h.compressor = 2; }), Sender::client,
       "decode frame: call frame has compressor 2 without codec"},
      {with(good_call, [](auto& h) { h.codec = 0, h.flags = 8; }), Sender::client,
       "decode frame: call frame has length 4 without flags headers and message"},
      {with(good_call, [](auto& h) { h.flags = 11, h.length = 3; }), Sender::client,
       "decode frame: call frame has length 3, too short for its header block"},
      {with(good_call, [](auto& h) { h.number = 0; }), Sender::client,
       "decode frame: call frame has neither a method number nor a header block"},
      {with(good_finish, [](auto& h) { h.number = 17; }), Sender::server,
       "decode frame: finish frame has number 17, must be 0 to 16"},
      {with(good_finish, [](auto& h) { h.number = 5; }), Sender::server,
       "decode frame: finish frame has flag message with status 5"},
      {with(good_finish, [](auto& h) { h.flags = 0x22; }), Sender::server,
       "decode frame: finish frame has flag unprocessed with status 0"},
      {{.type = FrameType::cancel, .call = 1, .number = 2},
       Sender::client,
       "decode frame: cancel frame has number 2, must be 1 or 4"},
      {{.length = 7, .type = FrameType::ping}, Sender::client, "decode frame: ping frame has length 7, must be 8"},
      {{.length = 8, .type = FrameType::ping, .call = 3},
       Sender::client,
       "decode frame: ping frame has call 3, must be 0"},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(refusal_of(test.header, test.from), test.text);
  }
}

TEST(CheckHeader, ReportsLimitsAsExhausted) {
  const std::array<FrameHeader, 3> over{{
      {.length = max_hello_bytes + 1, .type = FrameType::hello},
      {.length = max_reason_bytes + 1, .type = FrameType::goaway},
      {.type = FrameType::credit, .number = max_credit_bytes + 1},
  }};
  for (const FrameHeader& header : over) {
    Status why;

    EXPECT_EQ(check_header(header, Sender::server, why), FrameVerdict::refuse);
    EXPECT_EQ(why.code(), StatusCode::resource_exhausted);
  }
}

TEST(CheckLength, AcceptsTheLimitAndRefusesOneMore) {
  Status why;

  EXPECT_TRUE(check_length({.length = 8388608}, 8388608, why));
  EXPECT_TRUE(why.is_ok());
  EXPECT_FALSE(check_length({.length = 9437184, .type = static_cast<FrameType>(0x80)}, 8388608, why));
  EXPECT_EQ(why,
            Status(StatusCode::resource_exhausted, "decode frame: length 9437184 exceeds max_frame_bytes 8388608"));
}

TEST(FrameType, HasANameForEachAndUnknownForTheRest) {
  EXPECT_EQ(to_string(FrameType::hello), "hello");
  EXPECT_EQ(to_string(FrameType::goaway), "goaway");
  EXPECT_EQ(to_string(static_cast<FrameType>(0)), "unknown");
  EXPECT_EQ(to_string(static_cast<FrameType>(10)), "unknown");
}

}  // namespace
}  // namespace trunkline::wire
