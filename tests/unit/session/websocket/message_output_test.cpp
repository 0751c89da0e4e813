// SPDX-License-Identifier: MIT
// MessageOutput: everything that is ready is one message, whatever the transport takes at a time.
#include "session/websocket/message_output.h"

#include "http/websocket/frame_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace trunkline::session::websocket {
namespace {

/// Output in several parts.
class Inner {
 public:
  std::size_t gather(std::span<ByteSpan> out) {
    std::size_t count = 0;
    for (const std::string& part : parts) {
      if (count == out.size()) break;
      const std::size_t skipped = count == 0 ? written : 0;
      out[count++] = as_bytes(part).subspan(skipped);
    }
    return count;
  }
  void wrote(std::size_t size) {
    taken += size;
    while (size > 0) {
      const std::size_t part = std::min(size, parts.front().size() - written);
      written += part;
      size -= part;
      if (written == parts.front().size()) parts.erase(parts.begin()), written = 0;
    }
  }

  std::vector<std::string> parts;
  std::size_t written = 0;
  std::size_t taken = 0;
};

/// What a transport that takes `most` bytes at a time has taken.
std::string write_all(MessageOutput& output, Inner& inner, std::size_t most = std::string::npos) {
  std::string out;
  for (;;) {
    std::array<ByteSpan, 4> spans;
    const std::size_t count = output.gather(inner, spans);
    std::size_t taken = 0;
    for (std::size_t i = 0; i < count && taken < most; ++i) {
      const ByteSpan part = spans[i].first(std::min(spans[i].size(), most - taken));
      out += as_text(part);
      taken += part.size();
    }
    if (taken == 0) return out;
    output.wrote(inner, taken);
  }
}

struct Read {
  std::string content;
  std::vector<std::string> controls;
  int messages = 0;
};

Read read(const std::string& bytes, bool is_masked) {
  Read out;
  http::websocket::FrameReader reader(is_masked);
  ByteSpan input = as_bytes(bytes);
  for (;;) {
    const auto outcome = reader.next(input);
    EXPECT_NE(outcome, http::websocket::FrameReader::Outcome::failed);
    if (outcome == http::websocket::FrameReader::Outcome::data) {
      std::string content(as_text(reader.data().bytes));
      auto* const data = reinterpret_cast<std::byte*>(content.data());
      reader.data().mask.apply(data, data, content.size());
      out.content += content;
      ++out.messages;
    } else if (outcome == http::websocket::FrameReader::Outcome::control) {
      out.controls.emplace_back(as_text(reader.control().payload));
    } else {
      return out;
    }
  }
}

class WebSocketMessageOutput : public ::testing::TestWithParam<bool> {};

TEST_P(WebSocketMessageOutput, IsOneMessageOfAllThatIsReady) {
  MessageOutput output(GetParam());
  Inner inner{.parts = {"first", "second", "third", "fourth", "fifth", "sixth"}};

  const Read seen = read(write_all(output, inner), GetParam());

  EXPECT_EQ(seen.content, "firstsecondthirdfourthfifthsixth");
  EXPECT_EQ(seen.messages, 1);
  EXPECT_EQ(inner.taken, seen.content.size());
  EXPECT_FALSE(output.has_work());
  EXPECT_EQ(output.unsent_bytes(), 0U);
}

TEST_P(WebSocketMessageOutput, IsTheSameHoweverLittleTheTransportTakes) {
  for (const std::size_t most : {1U, 2U, 3U, 7U, 100U}) {
    MessageOutput output(GetParam());
    Inner inner{.parts = {std::string(200, 'a'), "b", std::string(70, 'c')}};

    const Read seen = read(write_all(output, inner, most), GetParam());

    EXPECT_EQ(seen.content, std::string(200, 'a') + "b" + std::string(70, 'c')) << most;
    EXPECT_EQ(seen.messages, 1);
    EXPECT_EQ(inner.taken, 271U);
  }
}

TEST_P(WebSocketMessageOutput, TellsInnerWhatIsWrittenAndNoEarlier) {
  MessageOutput output(GetParam());
  Inner inner{.parts = {"content"}};
  std::array<ByteSpan, 4> spans;
  output.gather(inner, spans);
  const std::size_t header = GetParam() ? 6 : 2;

  output.wrote(inner, header);
  const std::size_t after_header = inner.taken;
  output.wrote(inner, 3);

  EXPECT_EQ(after_header, 0U);
  EXPECT_EQ(inner.taken, 3U);
  EXPECT_TRUE(output.has_work());
}

TEST_P(WebSocketMessageOutput, GrowsNoMessageThatHasBegun) {
  MessageOutput output(GetParam());
  Inner inner{.parts = {"first"}};
  std::array<ByteSpan, 4> spans;
  output.gather(inner, spans);
  inner.parts.emplace_back("second");

  const Read seen = read(write_all(output, inner), GetParam());

  EXPECT_EQ(seen.content, "firstsecond");
  EXPECT_EQ(seen.messages, 2);
}

TEST_P(WebSocketMessageOutput, DividesWhatIsLong) {
  MessageOutput output(GetParam());
  Inner inner{.parts = {std::string(MessageOutput::max_message_bytes + 10, 'x')}};

  const Read seen = read(write_all(output, inner), GetParam());

  EXPECT_EQ(seen.content, std::string(MessageOutput::max_message_bytes + 10, 'x'));
  EXPECT_EQ(seen.messages, 2);
}

TEST_P(WebSocketMessageOutput, PutsControlFramesBetweenMessages) {
  MessageOutput output(GetParam());
  Inner inner{.parts = {"first"}};
  std::array<ByteSpan, 4> spans;
  output.gather(inner, spans);
  output.append_control(http::websocket::Opcode::pong, "pong");
  inner.parts.emplace_back("second");

  const std::string bytes = write_all(output, inner, 1);

  const Read seen = read(bytes, GetParam());
  EXPECT_EQ(seen.content, "firstsecond");
  EXPECT_EQ(seen.controls, std::vector<std::string>{"pong"});
  // The first message has no more than its own bytes.
  EXPECT_EQ(read(bytes.substr(0, GetParam() ? 11 : 7), GetParam()).content, "first");
}

TEST_P(WebSocketMessageOutput, FreesItsMemoryAtTheEnd) {
  MessageOutput output(GetParam());
  Inner inner{.parts = {std::string(100000, 'x')}};
  std::array<ByteSpan, 4> spans;
  output.append(std::string(1000, 'x'));
  write_all(output, inner);
  const std::size_t after = output.held_bytes();
  inner.parts.emplace_back(100000, 'x');
  output.gather(inner, spans);

  output.clear();

  EXPECT_LT(after, 100U);
  EXPECT_LT(output.held_bytes(), 100U);
  EXPECT_FALSE(output.has_work());
}

INSTANTIATE_TEST_SUITE_P(Both, WebSocketMessageOutput, ::testing::Bool(),
                         [](const auto& tested) { return std::string(tested.param ? "Masked" : "Plain"); });

TEST(WebSocketMessageOutputOfAClient, HasANewMaskForEachFrame) {
  MessageOutput output(true);
  Inner inner{.parts = {"same"}};
  const std::string first = write_all(output, inner);
  inner.parts.emplace_back("same");

  const std::string second = write_all(output, inner);

  EXPECT_NE(first.substr(2, 4), second.substr(2, 4));
}

}  // namespace
}  // namespace trunkline::session::websocket
