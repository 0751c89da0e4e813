// SPDX-License-Identifier: MIT
// WrittenBlocks: the header blocks that a writer has put into its output, decoded as its peer decodes them, for tests.
#pragma once

#include "http/hpack/decoder.h"
#include "unit/http/http2/written_frames.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline::session::grpc {

/// The fields of a block in the order in which they came.
using FieldList = std::vector<std::pair<std::string, std::string>>;

/// A block that came in HEADERS, and in CONTINUATION if it was long.
struct WrittenBlock {
  std::uint32_t stream = 0;
  bool is_end = false;
  FieldList fields;
  /// Holds the block as it was encoded.
  std::string bytes;
  /// Holds the length of the payload of each frame.
  std::vector<std::size_t> frames;

  /// Returns the first value of that name, or "none".
  std::string value(std::string_view name) const {
    for (const auto& [one, value] : fields) {
      if (one == name) return value;
    }
    return "none";
  }
  bool has(std::string_view name) const {
    for (const auto& [one, value] : fields) {
      if (one == name) return true;
    }
    return false;
  }
  /// Returns the size of the list as SETTINGS_MAX_HEADER_LIST_SIZE counts it.
  std::size_t list_bytes() const {
    std::size_t bytes = 0;
    for (const auto& [name, value] : fields) bytes += name.size() + value.size() + 32;
    return bytes;
  }
};

class WrittenBlocks {
 public:
  explicit WrittenBlocks(base::OutputQueue& output) : output_(output) {}

  /// Takes all blocks out of the output. Each comes in whole and right frames, and can be decoded after the others.
  std::vector<WrittenBlock> take() {
    using http::http2::FrameType;
    namespace flag = http::http2::flag;
    std::vector<WrittenBlock> blocks;
    bool is_in_block = false;
    for (const http::http2::WrittenFrame& frame : http::http2::written_frames(output_)) {
      EXPECT_EQ(frame.payload.size(), frame.header.length);
      if (is_in_block) {
        EXPECT_EQ(frame.header.type, FrameType::continuation);
        EXPECT_EQ(frame.header.stream, blocks.back().stream);
        EXPECT_EQ(frame.header.flags & ~flag::end_headers, 0);
      } else {
        EXPECT_EQ(frame.header.type, FrameType::headers);
        EXPECT_EQ(frame.header.flags & ~(flag::end_headers | flag::end_stream), 0);
        blocks.push_back({.stream = frame.header.stream, .is_end = frame.header.has(flag::end_stream)});
      }
      blocks.back().bytes += frame.payload;
      blocks.back().frames.push_back(frame.payload.size());
      is_in_block = !frame.header.has(flag::end_headers);
    }
    EXPECT_FALSE(is_in_block);
    for (WrittenBlock& block : blocks) decode(block);
    return blocks;
  }
  /// Takes the only block out of the output.
  WrittenBlock take_one() {
    std::vector<WrittenBlock> blocks = take();
    EXPECT_EQ(blocks.size(), 1u);
    return blocks.size() == 1 ? std::move(blocks.front()) : WrittenBlock();
  }
  /// Returns the table of the peer. It is the same as that of the encoder.
  const http::hpack::DynamicTable& table() const noexcept { return decoder_.table(); }
  /// Returns true if the last block had a size update.
  bool had_size_update() const noexcept { return decoder_.had_size_update(); }
  /// The peer has announced another SETTINGS_HEADER_TABLE_SIZE.
  void set_max_table_bytes(std::uint32_t bytes) noexcept { decoder_.set_max_table_bytes(bytes); }

 private:
  void decode(WrittenBlock& block) {
    using Step = http::hpack::Decoder::Step;
    decoder_.begin(as_bytes(block.bytes));
    http::hpack::Field field;
    Step step;
    while ((step = decoder_.next(field)) == Step::field) block.fields.emplace_back(field.name, field.value);
    EXPECT_EQ(step, Step::end);
  }

  base::OutputQueue& output_;
  http::hpack::NameIds ids_{};
  http::hpack::Decoder decoder_{ids_, {.max_list_bytes = std::numeric_limits<std::uint32_t>::max()}};
};

}  // namespace trunkline::session::grpc
