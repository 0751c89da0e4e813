// SPDX-License-Identifier: MIT
// Statuses of servers on a terminal.
#include "cli/output/status_text.h"

#include <gtest/gtest.h>

namespace trunkline::cli::output {
namespace {

TEST(StatusText, FurtherLinesOfAMessageAreIndented) {
  const Status status(StatusCode::aborted, "evil\nfake: line\r\nlast\x1b[31m", StatusOrigin::peer);

  EXPECT_EQ(describe_status(status, nullptr), "aborted: evil\n  fake: line\\x0d\n  last\\x1b[31m");
}

}  // namespace
}  // namespace trunkline::cli::output
