// SPDX-License-Identifier: MIT
// Comments of any content, cleaned and made safe.
#include "codegen/comment.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trunkline::codegen {

namespace {

Comment cleaned(const std::string& leading, const std::string& trailing = "") {
  google::protobuf::SourceCodeInfo::Location location;
  location.set_leading_comments(leading);
  location.set_trailing_comments(trailing);
  return comment_of(location);
}

using Lines = std::vector<std::string>;

TEST(Comment, LosesItsMarginAndEmptyEnds) {
  EXPECT_EQ(cleaned(" One.\n"), Lines{"One."});
  EXPECT_EQ(cleaned("\n \n One.\n\n   Two.  \n \n"), (Lines{"One.", "", "  Two."}));
  EXPECT_EQ(cleaned("One.\n Two."), (Lines{"One.", " Two."}));
  EXPECT_EQ(cleaned(" \n\n"), Lines());
}

TEST(Comment, HoldsWhatStandsBeforeAndBehind) {
  EXPECT_EQ(cleaned(" Before.\n", " Behind.\n"), (Lines{"Before.", "", "Behind."}));
  EXPECT_EQ(cleaned("", " Behind.\n"), Lines{"Behind."});
}

TEST(Comment, HasNoControlCharacters) {
  EXPECT_EQ(cleaned(std::string("a\tb\vc\rd\0e", 9)), Lines{"a b c d e"});
  EXPECT_EQ(cleaned("a\u0085b\u2028c\u2029d"), Lines{"a b c d"});
}

TEST(Comment, IsValidUtf8) {
  EXPECT_EQ(cleaned("Grüße, 世界, 🚂"), Lines{"Grüße, 世界, 🚂"});
  EXPECT_EQ(cleaned("a\xff\x62"), Lines{"a\uFFFDb"});
  EXPECT_EQ(cleaned("a\xe4\xb8"), Lines{"a\uFFFD\uFFFD"});
  EXPECT_EQ(cleaned("\xe0\xa0\x80 \xed\x9f\xbf \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf"),
            Lines{"\xe0\xa0\x80 \xed\x9f\xbf \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf"});
}

TEST(Comment, HasNoOverlongFormsAndSurrogates) {
  for (const char* wrong : {"\xe0\x9f\xbf", "\xed\xa0\x80"}) {
    EXPECT_EQ(cleaned(wrong), Lines{"\uFFFD\uFFFD\uFFFD"});
  }
  for (const char* wrong : {"\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80"}) {
    EXPECT_EQ(cleaned(wrong), Lines{"\uFFFD\uFFFD\uFFFD\uFFFD"});
  }
  EXPECT_EQ(cleaned("\xc0\x80"), Lines{"\uFFFD\uFFFD"});
}

TEST(CppCommentLine, NeverContinuesOnTheNext) {
  EXPECT_EQ(cpp_comment_line("C:\\folder\\"), "C:\\folder&#92;");
  EXPECT_EQ(cpp_comment_line("\\"), "&#92;");
  EXPECT_EQ(cpp_comment_line("what?\?/"), "what??&#47;");
  EXPECT_EQ(cpp_comment_line("/"), "/");
  EXPECT_EQ(cpp_comment_line("*/ /* //"), "*/ /* //");
}

TEST(CppCommentLine, DoesNotChangeTheDirectionOfText) {
  EXPECT_EQ(cpp_comment_line("\u202E a \u2066"), "&#x202E; a &#x2066;");
}

TEST(CppLiterals, AreTheLinesWithBreaksBetween) {
  EXPECT_EQ(cpp_literals({"One."}), Lines{R"("One.")"});
  EXPECT_EQ(cpp_literals({"One.", "", "Two."}), (Lines{R"("One.\n")", R"("\n")", R"("Two.")"}));
}

TEST(CppLiterals, EndWhereTheirTextDoes) {
  EXPECT_EQ(cpp_literals({R"(say "a\n")"}), Lines{R"("say \"a\\n\"")"});
  EXPECT_EQ(cpp_literals({"what?\?/"}), Lines{R"("what?\?/")"});
  EXPECT_EQ(cpp_literals({"\\"}), Lines{R"("\\")"});
}

TEST(CppLiterals, AreAscii) { EXPECT_EQ(cpp_literals({"\u00FC1 \u202E"}), Lines{R"("\303\2741 \342\200\256")"}); }

TEST(PythonDocstring, EndsWhereItsTextDoes) {
  EXPECT_EQ(python_docstring({"Says it."}), Lines{R"("""Says it.""")"});
  EXPECT_EQ(python_docstring({"One.", "", "Two."}), (Lines{R"("""One.)", "", "Two.", R"(""")"}));
  EXPECT_EQ(python_docstring({R"(a\)"}), Lines{R"("""a\\""")"});
  EXPECT_EQ(python_docstring({R"(")"}), Lines{R"("""\"""")"});
  EXPECT_EQ(python_docstring({R"(a "b")"}), Lines{R"("""a \"b\"""")"});
  EXPECT_EQ(python_docstring({R"("a" b)"}), Lines{R"(""""a" b""")"});
}

TEST(PythonDocstring, HoldsQuotesAndBackslashes) {
  EXPECT_EQ(python_docstring({R"(""")", R"(\n""")"}), (Lines{R"("""\"\"\")", R"(\\n\"\"\")", R"(""")"}));
  EXPECT_EQ(python_docstring({"\u202E"}), Lines{R"("""\u202e""")"});
}

}  // namespace

}  // namespace trunkline::codegen
