// SPDX-License-Identifier: MIT
// Base64 in pieces.
#include "session/web/text_decoder.h"

#include "codec/base64.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace trunkline::session::web {
namespace {

std::string text_of(std::string_view content) {
  BufferWriter out;
  codec::append_base64(as_bytes(content), out);
  return std::string(as_text(out.bytes()));
}

/// Empty: it is not base64.
std::optional<std::string> decoded(std::string_view text, std::size_t piece, std::uint32_t& held) {
  TextDecoder decoder;
  BufferWriter out;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    if (!decoder.decode(text.substr(0, piece), out)) return std::nullopt;
  }
  held = decoder.held();
  return std::string(as_text(out.bytes()));
}

TEST(TextDecoder, DecodesTextsBehindEachOtherInPiecesOfEverySize) {
  const std::string text = text_of("a") + text_of("bc") + text_of("def") + text_of("") + text_of("ghij\xff\xfe\xfd");
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    std::uint32_t held = 0;
    EXPECT_EQ(decoded(text, piece, held), "abcdefghij\xff\xfe\xfd") << piece;
    EXPECT_EQ(held, 0u);
  }
}

TEST(TextDecoder, HoldsAnIncompleteGroup) {
  const std::string text = text_of("abcdef");
  for (std::uint32_t missing = 1; missing <= 3; ++missing) {
    std::uint32_t held = 0;
    EXPECT_EQ(decoded(std::string_view(text).substr(0, text.size() - missing), 3, held), "abc");
    EXPECT_EQ(held, 4 - missing);
  }
}

TEST(TextDecoder, RefusesWhatIsNotBase64) {
  for (const std::string_view text : {"AAA!", "=AAA", "A===", "AA=A", "AAAA=AAA", "====", "AAA-", "AA A", "QQ=A"}) {
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
      std::uint32_t held = 0;
      EXPECT_FALSE(decoded(text, piece, held)) << text << ' ' << piece;
    }
  }
}

}  // namespace
}  // namespace trunkline::session::web
