// SPDX-License-Identifier: MIT
// Tests of the tokens of JSON.
#include <codec/json_scanner.h>
#include <codec/json_text.h>

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace trunkline::codec {
namespace {

/// The content of a string token, or "!".
std::string string_of(std::string_view text) {
  JsonScanner scanner(text);
  std::string_view content;
  return scanner.read_string(content) && scanner.is_at_end() ? std::string(content) : "!";
}

bool is_number(std::string_view text) {
  JsonScanner scanner(text);
  std::string_view number;
  return scanner.read_number(number) && scanner.is_at_end();
}

bool is_value(std::string_view text, unsigned levels = 100) {
  JsonScanner scanner(text);
  return scanner.skip_value(levels) && scanner.is_at_end();
}

TEST(JsonText, LoneSurrogatesAreReplaced) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"("a")", R"("a")"},
      {R"("\ud83d\ude00")", R"("\ud83d\ude00")"},
      {R"("\uD83D")", R"("\ufffd")"},
      {R"("\ude00\ud83d")", R"("\ufffd\ufffd")"},
      {R"("\ud83d\ud83d\ude00")", R"("\ufffd\ud83d\ude00")"},
      {R"("\ud83d\u0041")", R"("\ufffd\u0041")"},
      {R"("\\ud83d")", R"("\\ud83d")"},
      {R"("\\\ud83d")", R"("\\\ufffd")"},
      {R"("\ud8)", R"("\ud8)"},
      {R"("\)", R"("\)"},
  };
  for (const auto& [given, wanted] : cases) EXPECT_EQ(replace_lone_surrogates(given), wanted) << given;
}

TEST(JsonScanner, ReadsStrings) {
  EXPECT_EQ(string_of(R"("")"), "");
  EXPECT_EQ(string_of(R"( "plain" )"), "plain");
  EXPECT_EQ(string_of(R"("a\"\\\/\b\f\n\r\tz")"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(string_of(R"("\u0041\u00e9\u20AC\ud83d\ude00")"), "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(string_of("\"\xC3\xA9\""), "\xC3\xA9");
  EXPECT_EQ(string_of(R"("\u0000")"), std::string(1, '\0'));
}

TEST(JsonScanner, RefusesMalformedStrings) {
  for (const std::string_view text : {"",
                                      "\"",
                                      "\"a",
                                      "a\"",
                                      "'a'",
                                      "\"\\\"",
                                      "\"\\x\"",
                                      "\"\\U0041\"",
                                      "\"\\u004\"",
                                      "\"\\u004g\"",
                                      "\"\\ud83d\"",
                                      "\"\\ud83dx\"",
                                      "\"\\ud83d\\n\"",
                                      "\"\\ud83d\\u0041\"",
                                      "\"\\ude00\"",
                                      "\"\n\"",
                                      "\"\\n\n\"",
                                      "\"\x1F\"",
                                      "\"\xFF\"",
                                      "\"\\n\xFF\"",
                                      "\"\xC0\x80\"",
                                      "\"\xED\xA0\x80\""}) {
    EXPECT_EQ(string_of(text), "!") << text;
  }
}

TEST(JsonScanner, FindsEscapesAtEveryPlace) {
  // The search looks at eight bytes at a time.
  for (std::size_t size = 0; size < 20; ++size) {
    const std::string plain(size, 'a');
    for (const std::string_view special : {"\"", "\\", "\n", "\x1F", "\x01"}) {
      const std::string text = plain + std::string(special) + "tail\"\\\n tail";
      EXPECT_EQ(plain_json_size(text), size) << special;
    }
    EXPECT_EQ(plain_json_size(plain), size);
    EXPECT_EQ(plain_json_size(plain + "\x7F\x80\xFF !#[]" + plain), 2 * size + 8);
  }
}

TEST(JsonScanner, ReadsNumbers) {
  for (const std::string_view text : {"0", "-0", "1", "-12", "1.5", "0.0", "1e5", "1E+5", "1e-05", "-1.25E2"}) {
    EXPECT_TRUE(is_number(text)) << text;
  }
  for (const std::string_view text :
       {"", "-", "+1", "01", "-01", ".5", "1.", "1.e5", "1e", "1e+", "0x1", "NaN", "1,"}) {
    EXPECT_FALSE(is_number(text)) << text;
  }
}

TEST(JsonScanner, SkipsValues) {
  for (const std::string_view text : {"null", "true", "false", "1", "\"a\"", "[]", "{}",
                                      " [ 1 , [ ] , { \"a\" : [ null ] } ] ", "{\"a\":1,\"b\":{}}"}) {
    EXPECT_TRUE(is_value(text)) << text;
  }
  for (const std::string_view text : {"", "nul", "True", "[", "[1", "[1,]", "[,]", "{", "{\"a\"}", "{\"a\":}",
                                      "{\"a\":1,}", "{a:1}", "{1:1}", "[1}", "{\"a\":1]", "1 2"}) {
    EXPECT_FALSE(is_value(text)) << text;
  }
  EXPECT_TRUE(is_value("[[{}]]", 3));
  EXPECT_FALSE(is_value("[[{}]]", 2));
}

TEST(JsonScanner, GoesBack) {
  JsonScanner scanner("[1,2]");
  ASSERT_TRUE(scanner.take('['));
  const std::size_t place = scanner.position();
  ASSERT_TRUE(scanner.skip_value(1));

  scanner.seek(place);

  std::string_view number;
  EXPECT_TRUE(scanner.read_number(number));
  EXPECT_EQ(number, "1");
}

}  // namespace
}  // namespace trunkline::codec
