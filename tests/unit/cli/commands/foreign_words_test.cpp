// SPDX-License-Identifier: MIT
// Hints for words of other programs.
#include "cli/commands/foreign_words.h"

#include <gtest/gtest.h>

#include <vector>

namespace trunkline::cli::commands {
namespace {

std::string hint(const std::vector<std::string>& words) { return hint_for_command(words); }

TEST(ForeignWords, DescribeIsCalledList) {
  const std::string form = "; `trunkline list ENDPOINT NAME` shows a service, a method with its messages, or a message";

  EXPECT_EQ(hint({"describe"}), form);
  EXPECT_EQ(hint({"describe", "localhost:8888", "example.Echo"}),
            form + ": trunkline list localhost:8888 example.Echo");
}

TEST(ForeignWords, ALineWithoutAnEndpointSaysWhereItBelongs) {
  const auto line = [](const std::vector<std::string>& words) {
    const std::string all = hint(words);
    return all.substr(all.rfind(": ") + 2);
  };

  EXPECT_EQ(line({"describe", "--proto", "f.proto", "a.B"}), "trunkline list ENDPOINT --proto f.proto a.B");
  EXPECT_EQ(line({"describe", "-m", "name:value", "a.B"}), "trunkline list ENDPOINT -m name:value a.B");
  EXPECT_EQ(line({"describe", "--proto", "f.proto", "[::1]:80", "a.B"}), "trunkline list --proto f.proto [::1]:80 a.B");
  EXPECT_EQ(line({"describe", "unix:///a", "a.B"}), "trunkline list unix:///a a.B");
}

TEST(ForeignWords, OtherCommandsHaveTheirNamesToo) {
  EXPECT_EQ(hint({"invoke", "host:1", "a.B/C"}),
            "; `trunkline call ENDPOINT METHOD --json REQUEST` calls a method: trunkline call host:1 a.B/C");
  EXPECT_EQ(hint({"ping"}), "; `trunkline health ENDPOINT` checks a server");
}

TEST(ForeignWords, TheCommandComesBeforeTheEndpoint) {
  EXPECT_EQ(hint({"localhost:8888"}), "; the command comes first: trunkline list localhost:8888");
  EXPECT_EQ(hint({"localhost:8888", "list"}), "; the command comes first: trunkline list localhost:8888");
  EXPECT_EQ(hint({"localhost:8888", "describe", "a.B"}),
            "; the command comes first: trunkline list localhost:8888 a.B");
  EXPECT_EQ(hint({"tcp://host:1", "a.B/C"}), "; the command comes first: trunkline call tcp://host:1 a.B/C");
}

TEST(ForeignWords, NothingIsSaidAboutOtherWords) {
  EXPECT_EQ(hint({}), "");
  EXPECT_EQ(hint({"lits", "localhost:8888"}), "");
}

TEST(ForeignWords, OptionsWithOneOrTwoDashes) {
  EXPECT_EQ(hint_for_option("-d"), "; requests are given by --json, --file or -");
  EXPECT_EQ(hint_for_option("-plaintext"), "; tcp:// endpoints are plain, and tls:// endpoints use TLS");
  EXPECT_EQ(hint_for_option("--max-time=5"), "; the option is --timeout, such as --timeout 5s");
  EXPECT_EQ(hint_for_option("--jsno"), "");
  EXPECT_EQ(hint_for_option("d"), "");
}

}  // namespace
}  // namespace trunkline::cli::commands
