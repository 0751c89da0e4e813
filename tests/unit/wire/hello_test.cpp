// SPDX-License-Identifier: MIT
// Hello: values, names, limits and every refusal of docs/wire.md, section 3.
#include "wire/hello.h"

#include "wire/field.h"
#include "wire/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace trunkline::wire {
namespace {

using testing::HasSubstr;

std::string body_of(const Hello& hello) {
  BufferWriter out;
  write_hello(hello, out);
  return std::string(as_text(out.bytes().subspan(header_bytes)));
}

/// A body with the version, followed by what `write` adds.
std::string body_with(const std::function<void(FieldWriter&)>& write) {
  BufferWriter out;
  FieldWriter fields(out);
  fields.integer(1, 1);
  write(fields);
  return std::string(as_text(out.bytes()));
}

Result<Hello> read(const std::string& body) { return read_hello(as_bytes(body)); }

std::string refusal_of(const std::string& body) { return std::string(read(body).status().message()); }

Hello rich_hello() {
  Hello hello;
  hello.max_frame_bytes = 8388608;
  hello.max_message_bytes = std::uint64_t{1} << 40;
  hello.max_concurrent_calls = 1;
  hello.connection_credit = 2147483647;
  hello.call_credit = 65537;
  hello.max_header_bytes = 4294967295;
  hello.max_methods = 257;
  hello.codecs = {"protobuf", "json"};
  hello.compressors = {"snappy"};
  hello.features = {"a.b-c_1", std::string(64, 'f')};
  hello.ordered = true;
  return hello;
}

TEST(Hello, HasTheEarlyValuesByDefault) {
  const Result<Hello> hello = read(body_with([](FieldWriter&) {}));

  ASSERT_TRUE(hello.is_ok());
  EXPECT_EQ(*hello, Hello());
  EXPECT_EQ(hello->max_frame_bytes, 65536U);
  EXPECT_EQ(hello->connection_credit, 1048576U);
}

TEST(Hello, IsAppendedAsACompleteFrame) {
  BufferWriter out;
  out.append("before");

  write_hello(rich_hello(), out);

  const FrameHeader header = read_header(out.bytes().data() + 6);
  Status why;
  EXPECT_EQ(check_header(header, Sender::client, why), FrameVerdict::accept);
  EXPECT_EQ(header.type, FrameType::hello);
  EXPECT_EQ(header.length, out.size() - 6 - header_bytes);
}

TEST(Hello, ReadsBackWhatWasWritten) {
  const Result<Hello> hello = read(body_of(rich_hello()));

  ASSERT_TRUE(hello.is_ok()) << hello.status().to_string();
  EXPECT_EQ(*hello, rich_hello());
}

TEST(Hello, ReadsBackAsManyNamesAsAreAllowed) {
  Hello hello;
  for (int i = 0; i < 32; ++i) hello.codecs.push_back(std::string(62, 'n') + std::to_string(10 + i));
  hello.compressors = hello.features = hello.codecs;

  const Result<Hello> back = read(body_of(hello));

  EXPECT_TRUE(check_hello(hello).is_ok());
  ASSERT_TRUE(back.is_ok());
  EXPECT_EQ(*back, hello);
}

TEST(Hello, LeavesOutEarlyValues) { EXPECT_EQ(body_of(Hello()), "\x01\x01\x01"); }

TEST(Hello, RefusesValuesBelowTheMinimum) {
  const struct {
    std::uint8_t tag;
    std::string name;
    std::uint64_t least;
  } cases[] = {{2, "max_frame_bytes", 65536},  {3, "max_message_bytes", 1},
               {4, "max_concurrent_calls", 1}, {5, "connection_credit", 1048576},
               {6, "call_credit", 65536},      {7, "max_header_bytes", 8192},
               {8, "max_methods", 256}};
  for (const auto& test : cases) {
    const auto number = [&test](std::uint64_t value) {
      return body_with([&](FieldWriter& fields) { fields.integer(test.tag, value); });
    };

    EXPECT_EQ(refusal_of(number(test.least)), "");
    EXPECT_EQ(refusal_of(number(test.least - 1)), "decode hello: " + test.name + " " + std::to_string(test.least - 1) +
                                                      " is below its least value " + std::to_string(test.least));
  }
}

TEST(Hello, RefusesVersion0AndNone) {
  EXPECT_EQ(refusal_of(std::string("\x01\x01\x00", 3)), "decode hello: version 0 is below its least value 1");
  EXPECT_EQ(refusal_of(""), "decode hello: version is missing");
}

TEST(Hello, RefusesCreditsAboveTheMaximum) {
  for (std::uint8_t tag : {5, 6}) {
    for (std::uint64_t value : {std::uint64_t{1} << 31, ~std::uint64_t{0}}) {
      EXPECT_THAT(refusal_of(body_with([&](FieldWriter& fields) { fields.integer(tag, value); })),
                  HasSubstr("exceeds 2147483647"));
    }
  }
}

TEST(Hello, ClampsOtherLargeValues) {
  const Result<Hello> hello = read(body_with([](FieldWriter& fields) {
    for (std::uint8_t tag : {2, 3, 4, 7, 8}) fields.integer(tag, (std::uint64_t{1} << 40) + 1);
  }));

  ASSERT_TRUE(hello.is_ok());
  EXPECT_EQ(hello->max_frame_bytes, 0xFFFFFFFF);
  EXPECT_EQ(hello->max_concurrent_calls, 0xFFFFFFFF);
  EXPECT_EQ(hello->max_header_bytes, 0xFFFFFFFF);
  EXPECT_EQ(hello->max_methods, 0xFFFFFFFF);
  EXPECT_EQ(hello->max_message_bytes, (std::uint64_t{1} << 40) + 1);
}

TEST(Hello, RefusesRepeatedNumbersAndOrdered) {
  for (std::uint8_t tag : {1, 2, 3, 4, 5, 6, 7, 8, 12}) {
    const std::uint64_t value = tag == 12 ? 1 : 1U << 30;
    const std::string body = body_with([&](FieldWriter& fields) {
      fields.integer(tag, value);
      fields.integer(tag, value);
    });

    EXPECT_EQ(refusal_of(body), "decode hello: tag " + std::to_string(tag) + " is repeated");
  }
}

TEST(Hello, RefusesIntegersOfNoOrNineBytes) {
  for (std::uint8_t tag : {2, 3, 4, 5, 6, 7, 8, 12}) {
    for (std::size_t size : {0U, 9U}) {
      EXPECT_NE(refusal_of(body_with([&](FieldWriter& fields) { fields.text(tag, std::string(size, '\0')); })), "")
          << int{tag};
    }
  }
}

TEST(Hello, TakesOrderedAs0Or1Only) {
  const auto ordered = [](std::uint64_t value) {
    return read(body_with([value](FieldWriter& fields) { fields.integer(12, value); }));
  };

  EXPECT_FALSE(ordered(0)->ordered);
  EXPECT_TRUE(ordered(1)->ordered);
  EXPECT_EQ(ordered(2).status().message(), "decode hello: ordered is neither 0 nor 1");
}

TEST(Hello, RefusesBadNames) {
  for (std::uint8_t tag : {9, 10, 11}) {
    for (const std::string& name : {std::string(), std::string("Json"), std::string("a b"), std::string("ü")}) {
      EXPECT_THAT(refusal_of(body_with([&](FieldWriter& fields) { fields.text(tag, name); })),
                  HasSubstr("has an invalid name"));
    }
    EXPECT_THAT(refusal_of(body_with([&](FieldWriter& fields) { fields.text(tag, std::string(65, 'a')); })),
                HasSubstr("has a name over 64 bytes"));
  }
}

TEST(Hello, RefusesA33rdNameAndANameTwice) {
  const std::string many = body_with([](FieldWriter& fields) {
    for (int i = 0; i < 33; ++i) fields.text(9, "n" + std::to_string(i));
  });
  const std::string twice = body_with([](FieldWriter& fields) {
    fields.text(10, "snappy");
    fields.text(10, "snappy");
  });

  EXPECT_EQ(refusal_of(many), "decode hello: more than 32 fields codec");
  EXPECT_EQ(refusal_of(twice), "decode hello: compressor snappy is named twice");
}

TEST(Hello, SkipsEveryTagFrom80AndRefusesEveryOtherUnknownOne) {
  for (int tag = 0; tag < 256; ++tag) {
    if (tag >= 1 && tag <= 12) continue;

    const std::string refusal =
        refusal_of(body_with([tag](FieldWriter& fields) { fields.text(static_cast<std::uint8_t>(tag), "x"); }));

    EXPECT_EQ(refusal, tag >= 0x80 ? "" : "decode hello: unknown tag " + std::to_string(tag));
  }
}

TEST(Hello, CutAnywhereWithinAFieldIsRefused) {
  const std::string body = body_of(rich_hello());
  std::size_t malformed = 0;
  for (std::size_t size = 0; size < body.size(); ++size) {
    malformed += refusal_of(body.substr(0, size)) == "decode hello: a field ends after the body" ? 1 : 0;
  }

  const std::size_t fields = 14;
  EXPECT_EQ(malformed, body.size() - fields);
}

TEST(Hello, RefusesABodyOverItsLimit) {
  const auto padded = [](std::size_t size) {
    return body_with([size](FieldWriter& fields) { fields.text(0x80, std::string(size - 6, 'x')); });
  };

  EXPECT_EQ(padded(16384).size(), 16384U);
  EXPECT_TRUE(read(padded(16384)).is_ok());
  EXPECT_EQ(read(padded(16385)).status(),
            Status(StatusCode::resource_exhausted, "decode hello: length 16385 exceeds 16384"));
}

TEST(CheckHello, RefusesWhatAReceiverWouldRefuse) {
  const std::function<void(Hello&)> changes[] = {
      [](Hello& hello) { hello.version = 0; },
      [](Hello& hello) { hello.max_frame_bytes = 65535; },
      [](Hello& hello) { hello.max_message_bytes = 0; },
      [](Hello& hello) { hello.call_credit = 0x80000000; },
      [](Hello& hello) { hello.codecs = {"JSON"}; },
      [](Hello& hello) {
        hello.features = {"a", "b", "a"};
      },
      [](Hello& hello) {
        for (int i = 0; i < 33; ++i) hello.compressors.push_back("c" + std::to_string(i));
      },
  };
  for (const auto& change : changes) {
    Hello hello;
    change(hello);

    const Status status = check_hello(hello);

    EXPECT_EQ(status.code(), StatusCode::invalid_argument);
    EXPECT_THAT(std::string(status.message()), testing::StartsWith("encode hello: "));
    EXPECT_FALSE(read(body_of(hello)).is_ok());
  }
}

TEST(CheckHello, AcceptsDefaultsAndMaximumValues) {
  EXPECT_TRUE(check_hello(Hello()).is_ok());
  EXPECT_TRUE(check_hello(rich_hello()).is_ok());
}

}  // namespace
}  // namespace trunkline::wire
