// SPDX-License-Identifier: MIT
// HeaderBlock: every field and every rule of docs/wire.md, section 4.
#include "wire/header_block.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::wire {
namespace {

using namespace std::string_literals;

/// One field: tag, size (below 128), value.
std::string field(char tag, const std::string& value) {
  return tag + std::string(1, static_cast<char>(value.size())) + value;
}

std::string refusal_of(FrameType on, const std::string& fields) {
  HeaderBlock block;
  const Status status = read_header_block(as_bytes(fields), on, block);
  if (!status.is_ok()) {
    const bool is_limit = status.message().find("is over 1024 bytes") != std::string_view::npos;
    EXPECT_EQ(status.code(), is_limit ? StatusCode::resource_exhausted : StatusCode::internal);
  }
  return std::string(status.message());
}

/// The output of begin(), `write` and finish(), without the size, which is checked.
template <class Write>
std::string written(Write write) {
  BufferWriter out;
  out.append("before");
  HeaderBlockWriter writer(out);
  writer.begin();
  write(writer);
  const std::size_t size = writer.size();
  EXPECT_EQ(writer.finish(), size);
  EXPECT_EQ(out.size(), 6 + block_size_bytes + size);
  EXPECT_EQ(as_text(out.bytes().first(6)), "before");
  EXPECT_EQ(load_little<std::uint32_t>(out.bytes().data() + 6), size);
  return std::string(as_text(out.bytes().subspan(6 + block_size_bytes)));
}

TEST(HeaderBlock, OfNothingIsEmpty) {
  HeaderBlock block;

  EXPECT_TRUE(read_header_block({}, FrameType::call, block).is_ok());
  EXPECT_FALSE(block.has_method || block.has_timeout || block.has_message_bytes);
  EXPECT_EQ(block.metadata_count + block.detail_count, 0U);
}

TEST(HeaderBlock, ReadsWhatWasWrittenOnACall) {
  Metadata metadata{{"tenant", "blue"}, {"trace-bin", "\0\xFF"s}, {"tenant", ""}};
  const std::string fields = written([&](HeaderBlockWriter& writer) {
    writer.method("example.Echo/Say");
    writer.timeout(1500000);
    writer.metadata(metadata);
    writer.message_bytes(1 << 20);
  });
  HeaderBlock block;

  const Status status = read_header_block(as_bytes(fields), FrameType::call, block);

  Metadata copied;
  copy_metadata(block, copied);
  EXPECT_EQ(status, Status::ok());
  EXPECT_TRUE(block.has_method && block.has_timeout && block.has_message_bytes);
  EXPECT_EQ(block.method, "example.Echo/Say");
  EXPECT_EQ(block.timeout_us, 1500000U);
  EXPECT_EQ(block.message_bytes, 1U << 20);
  EXPECT_EQ(block.metadata_count, 3U);
  EXPECT_EQ(copied, metadata);
}

TEST(HeaderBlock, ReadsWhatWasWrittenOnAFinish) {
  const std::string fields = written([](HeaderBlockWriter& writer) {
    writer.metadata("cost", "3");
    writer.status_message("größer als erlaubt");
    EXPECT_TRUE(writer.status_detail("type.googleapis.com/a.B", "\x0A\0"s));
    EXPECT_TRUE(writer.status_detail("", ""));
  });
  HeaderBlock block;

  const Status read = read_header_block(as_bytes(fields), FrameType::finish, block);

  Status status(StatusCode::not_found, block.status_message);
  copy_details(block, status);
  EXPECT_EQ(read, Status::ok());
  EXPECT_EQ(block.metadata_count, 1U);
  EXPECT_EQ(block.detail_count, 2U);
  EXPECT_EQ(status.message(), "größer als erlaubt");
  ASSERT_EQ(status.details().size(), 2U);
  EXPECT_EQ(status.details()[0], (StatusDetail{"type.googleapis.com/a.B", "\x0A\0"s}));
  EXPECT_EQ(status.details()[1], StatusDetail{});
}

TEST(HeaderBlock, ViewsTheBytesItWasReadFrom) {
  const std::string fields = field(1, "m") + field(2, "\x05") + field(0x80 - 256, "x");
  HeaderBlock block;

  EXPECT_TRUE(read_header_block(as_bytes(fields), FrameType::call, block).is_ok());
  EXPECT_EQ(block.method.data(), fields.data() + 2);
  EXPECT_EQ(block.fields.data(), as_bytes(fields).data());
  EXPECT_EQ(block.fields.size(), fields.size());
}

TEST(HeaderBlock, ReplacesWhatWasReadBefore) {
  HeaderBlock block;
  const std::string first = field(1, "m") + field(3, "\1kv") + field(2, "\1");
  const std::string second = field(3, "\1kv");

  EXPECT_TRUE(read_header_block(as_bytes(first), FrameType::call, block).is_ok());
  EXPECT_TRUE(read_header_block(as_bytes(second), FrameType::call, block).is_ok());
  EXPECT_FALSE(block.has_method || block.has_timeout);
  EXPECT_EQ(block.metadata_count, 1U);
}

TEST(HeaderBlock, AppendsMetadataToExistingEntries) {
  HeaderBlock block;
  const std::string fields = field(3, "\1kv");
  Metadata metadata{{"a", "b"}};

  EXPECT_TRUE(read_header_block(as_bytes(fields), FrameType::message, block).is_ok());
  copy_metadata(block, metadata);

  EXPECT_EQ(metadata, (Metadata{{"a", "b"}, {"k", "v"}}));
}

TEST(HeaderBlock, TakesMethodsOf1To1024Bytes) {
  for (std::size_t size : {1U, 1023U, 1024U, 1025U}) {
    const std::string fields = written([size](HeaderBlockWriter& writer) { writer.method(std::string(size, 'm')); });

    EXPECT_EQ(refusal_of(FrameType::call, fields),
              size <= 1024 ? "" : "decode header block: method is over 1024 bytes");
  }
  EXPECT_EQ(refusal_of(FrameType::call, field(1, "")), "decode header block: method is empty");
  EXPECT_EQ(refusal_of(FrameType::call, field(1, "\xFF")), "decode header block: method is not utf-8");
}

TEST(HeaderBlock, RecognisesMethodNames) {
  EXPECT_TRUE(is_method_name("Größe/messen"));
  EXPECT_TRUE(is_method_name(std::string(1024, 'm')));
  EXPECT_FALSE(is_method_name(std::string(1025, 'm')));
  EXPECT_FALSE(is_method_name(""));
  EXPECT_FALSE(is_method_name("\xC3"));
}

TEST(HeaderBlock, TakesEachFieldOnItsFramesOnly) {
  const struct {
    std::string fields;
    std::string name;
    bool call, message, finish;
  } cases[] = {
      {field(1, "m"), "method", true, false, false},          {field(2, "\1"), "timeout", true, false, false},
      {field(3, "\1k"), "metadata", true, true, true},        {field(4, "\1"), "message_bytes", true, true, false},
      {field(5, "no"), "status_message", false, false, true}, {field(6, "\0\0"s), "status_detail", false, false, true},
  };
  for (const auto& test : cases) {
    const std::string wrong = "decode header block: " + test.name + " on a ";
    EXPECT_EQ(refusal_of(FrameType::call, test.fields), test.call ? "" : wrong + "call frame");
    EXPECT_EQ(refusal_of(FrameType::message, test.fields), test.message ? "" : wrong + "message frame");
    EXPECT_EQ(refusal_of(FrameType::finish, test.fields), test.finish ? "" : wrong + "finish frame");
  }
}

TEST(HeaderBlock, RefusesRepeatsOfAllButMetadataAndDetails) {
  EXPECT_EQ(refusal_of(FrameType::call, field(1, "m") + field(1, "m")), "decode header block: method is repeated");
  EXPECT_EQ(refusal_of(FrameType::call, field(2, "\1") + field(2, "\1")), "decode header block: timeout is repeated");
  EXPECT_EQ(refusal_of(FrameType::call, field(4, "\1") + field(4, "\1")),
            "decode header block: message_bytes is repeated");
  EXPECT_EQ(refusal_of(FrameType::finish, field(5, "") + field(5, "")),
            "decode header block: status_message is repeated");
  EXPECT_EQ(refusal_of(FrameType::finish, field(3, "\1k") + field(3, "\1k") + field(6, "\0\0"s) + field(6, "\0\0"s)),
            "");
}

TEST(HeaderBlock, RefusesIntegersOfNoOrNineBytes) {
  for (char tag : {2, 4}) {
    for (std::size_t size = 0; size <= 9; ++size) {
      EXPECT_EQ(refusal_of(FrameType::call, field(tag, std::string(size, '\1'))).empty(), size >= 1 && size <= 8)
          << int{tag};
    }
  }
}

TEST(HeaderBlock, RefusesBrokenMetadata) {
  EXPECT_EQ(refusal_of(FrameType::call, field(3, "")), "decode header block: metadata is shorter than its name");
  EXPECT_EQ(refusal_of(FrameType::call, field(3, "\2k")), "decode header block: metadata is shorter than its name");
  EXPECT_EQ(refusal_of(FrameType::call, field(3, "\0v"s)), "decode header block: metadata has an invalid name");
  EXPECT_EQ(refusal_of(FrameType::call, field(3, "\1Kv")), "decode header block: metadata has an invalid name");
}

TEST(HeaderBlock, RefusesBrokenStatusDetails) {
  EXPECT_EQ(refusal_of(FrameType::finish, field(6, "")),
            "decode header block: status_detail is shorter than its type url");
  EXPECT_EQ(refusal_of(FrameType::finish, field(6, "\0"s)),
            "decode header block: status_detail is shorter than its type url");
  EXPECT_EQ(refusal_of(FrameType::finish, field(6, "\2\0t"s)),
            "decode header block: status_detail is shorter than its type url");
  EXPECT_EQ(refusal_of(FrameType::finish, field(6, "\1\0\x80"s)),
            "decode header block: status_detail has a type url that is not utf-8");
}

TEST(HeaderBlock, SkipsEveryTagFrom80AndRefusesEveryOtherUnknownOne) {
  for (int tag = 0; tag < 256; ++tag) {
    if (tag >= 1 && tag <= 6) continue;
    const std::string fields = field(static_cast<char>(tag), "x") + field(static_cast<char>(tag), "");

    const std::string refusal = refusal_of(FrameType::call, fields);

    EXPECT_EQ(refusal, tag >= 0x80 ? "" : "decode header block: unknown tag " + std::to_string(tag));
  }
}

TEST(HeaderBlock, CutAnywhereWithinAFieldIsRefused) {
  const std::string fields = written([](HeaderBlockWriter& writer) {
    writer.method("m");
    writer.timeout(70000);
    writer.metadata("key", "value");
  });
  const std::size_t edges[] = {0, 3, 8, fields.size()};
  for (std::size_t size = 0; size <= fields.size(); ++size) {
    const bool at_edge = std::find(std::begin(edges), std::end(edges), size) != std::end(edges);

    EXPECT_EQ(refusal_of(FrameType::call, fields.substr(0, size)),
              at_edge ? "" : "decode header block: a field ends after its block")
        << size;
  }
}

TEST(HeaderBlockWriter, NeverSendsAStatusThatIsNotUtf8) {
  const std::string fields = written([](HeaderBlockWriter& writer) {
    writer.status_message("a\xFFz");
    writer.status_detail("t\x80", "\xFF");
  });

  EXPECT_EQ(fields, field(5, "a?z") + field(6, "\2\0t?\xFF"s));
}

TEST(HeaderBlockWriter, LeavesOutADetailWithATooLongTypeUrl) {
  const std::string fields = written([](HeaderBlockWriter& writer) {
    EXPECT_FALSE(writer.status_detail(std::string(65536, 't'), "v"));
    EXPECT_TRUE(writer.status_detail(std::string(65535, 't'), "v"));
  });

  EXPECT_EQ(fields.size(), 1 + 3 + 2 + 65535 + 1U);
  EXPECT_EQ(refusal_of(FrameType::finish, fields), "");
}

TEST(HeaderBlockWriter, WritesSeveralBlocksIntoOneBuffer) {
  BufferWriter out;
  HeaderBlockWriter writer(out);
  for (int i = 0; i < 2; ++i) {
    writer.begin();
    writer.timeout(7);
    EXPECT_EQ(writer.finish(), 3U);
  }

  EXPECT_EQ(as_text(out.bytes()), "\x03\0\0\0\x02\x01\x07\x03\0\0\0\x02\x01\x07"s);
}

}  // namespace
}  // namespace trunkline::wire
