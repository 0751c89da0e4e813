// SPDX-License-Identifier: MIT
// Random header blocks against a model, and random damage to them.
#include "base/utf8.h"
#include "wire/header_block.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace trunkline::wire {
namespace {

/// From TRUNKLINE_SEED, or a new one; printed either way.
std::uint64_t seed_of_run() {
  const char* given = std::getenv("TRUNKLINE_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "TRUNKLINE_SEED=" << seed << "\n";
  return seed;
}

struct Model {
  FrameType on = FrameType::call;
  std::optional<std::string> method;
  std::optional<std::uint64_t> timeout;
  std::optional<std::uint64_t> message_bytes;
  std::optional<std::string> status_message;
  std::vector<Metadata::Entry> metadata;
  std::vector<StatusDetail> details;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(engine_); }
  bool coin() { return below(2) == 0; }
  /// Every length in bytes is equally likely.
  std::uint64_t integer() { return engine_() >> (8 * below(8)); }
  std::string bytes(std::size_t longest) {
    std::string text(below(longest + 1), '\0');
    for (char& letter : text) letter = static_cast<char>(below(256));
    return text;
  }
  std::string name() {
    const std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
    std::string text(1 + below(coin() ? 8 : 255), '\0');
    for (char& letter : text) letter = alphabet[below(alphabet.size())];
    return text;
  }
  std::string utf8(std::size_t longest) {
    const std::vector<std::string> characters{"a", "/", "\x7F", "ü", "\u07FF", "€", "\uFFFD", "𝄞"};
    std::string text;
    for (std::size_t i = below(longest / 4 + 1); i > 0; --i) text += characters[below(characters.size())];
    return text;
  }

 private:
  std::mt19937_64 engine_;
};

Model random_model(Random& random) {
  Model model;
  model.on = std::array{FrameType::call, FrameType::message, FrameType::finish}[random.below(3)];
  for (std::size_t i = random.below(6); i > 0; --i) model.metadata.push_back({random.name(), random.bytes(300)});
  if (model.on == FrameType::call) {
    if (random.coin()) model.method = "m" + random.utf8(1000);
    if (random.coin()) model.timeout = random.integer();
  }
  if (model.on == FrameType::finish) {
    if (random.coin()) model.status_message = random.utf8(400);
    for (std::size_t i = random.below(4); i > 0; --i) model.details.push_back({random.utf8(80), random.bytes(200)});
  } else if (random.coin()) {
    model.message_bytes = random.integer();
  }
  return model;
}

/// The fields in random order, with skippable ones between them.
std::string random_encoding(const Model& model, Random& random) {
  std::vector<std::string> parts;
  const auto add = [&parts](auto write) {
    BufferWriter out;
    HeaderBlockWriter writer(out);
    writer.begin();
    write(writer);
    parts.emplace_back(as_text(out.bytes().subspan(block_size_bytes)));
  };
  add([&model](HeaderBlockWriter& writer) {
    for (const Metadata::Entry& entry : model.metadata) writer.metadata(entry.name, entry.value);
  });
  add([&model](HeaderBlockWriter& writer) {
    for (const StatusDetail& detail : model.details) writer.status_detail(detail.type_url, detail.value);
  });
  if (model.method) add([&model](HeaderBlockWriter& writer) { writer.method(*model.method); });
  if (model.timeout) add([&model](HeaderBlockWriter& writer) { writer.timeout(*model.timeout); });
  if (model.message_bytes) add([&model](HeaderBlockWriter& writer) { writer.message_bytes(*model.message_bytes); });
  if (model.status_message) add([&model](HeaderBlockWriter& writer) { writer.status_message(*model.status_message); });
  std::string fields;
  while (!parts.empty()) {
    if (random.below(4) == 0) {
      BufferWriter skipped;
      FieldWriter(skipped).text(static_cast<std::uint8_t>(0x80 + random.below(128)), random.bytes(20));
      fields += as_text(skipped.bytes());
    }
    const auto at = parts.begin() + static_cast<std::ptrdiff_t>(random.below(parts.size()));
    fields += *at;
    parts.erase(at);
  }
  return fields;
}

void expect_equal(const HeaderBlock& block, const Model& model) {
  EXPECT_EQ(block.has_method, model.method.has_value());
  EXPECT_EQ(block.method, model.method.value_or(""));
  EXPECT_EQ(block.has_timeout, model.timeout.has_value());
  EXPECT_EQ(block.timeout_us, model.timeout.value_or(0));
  EXPECT_EQ(block.has_message_bytes, model.message_bytes.has_value());
  EXPECT_EQ(block.message_bytes, model.message_bytes.value_or(0));
  EXPECT_EQ(block.status_message, model.status_message.value_or(""));
  Metadata metadata;
  copy_metadata(block, metadata);
  EXPECT_EQ(block.metadata_count, model.metadata.size());
  EXPECT_EQ(std::vector<Metadata::Entry>(metadata.begin(), metadata.end()), model.metadata);
  Status status(StatusCode::unknown, "");
  copy_details(block, status);
  EXPECT_EQ(block.detail_count, model.details.size());
  EXPECT_EQ(std::vector<StatusDetail>(status.details().begin(), status.details().end()), model.details);
}

TEST(HeaderBlockRandom, DecodesToItsModel) {
  Random random(seed_of_run());
  for (int round = 0; round < 2000 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const Model model = random_model(random);
    const std::string fields = random_encoding(model, random);
    HeaderBlock block;

    const Status status = read_header_block(as_bytes(fields), model.on, block);

    EXPECT_EQ(status, Status::ok());
    expect_equal(block, model);
  }
}

TEST(HeaderBlockRandom, DamagedBlocksAreRefusedOrKeepTheRules) {
  Random random(seed_of_run());
  std::size_t refused = 0;
  for (int round = 0; round < 2000 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const Model model = random_model(random);
    std::string fields = random_encoding(model, random);
    for (std::size_t i = 1 + random.below(3); i > 0 && !fields.empty(); --i) {
      fields[random.below(fields.size())] = static_cast<char>(random.below(256));
    }
    HeaderBlock block;

    if (!read_header_block(as_bytes(fields), model.on, block)) {
      ++refused;
      continue;
    }

    Metadata metadata;
    copy_metadata(block, metadata);
    EXPECT_EQ(metadata.size(), block.metadata_count);
    for (const Metadata::Entry& entry : metadata)
      EXPECT_TRUE(is_name(entry.name, max_metadata_name_bytes, metadata_name_alphabet));
    EXPECT_TRUE(!block.has_method || is_method_name(block.method));
    EXPECT_TRUE(base::is_utf8(block.status_message));
  }
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace trunkline::wire
