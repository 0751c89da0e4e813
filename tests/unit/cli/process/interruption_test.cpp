// SPDX-License-Identifier: MIT
// The second signal, in a process of its own.
#include "cli/process/interruption.h"

#include "cli/process/exit_status.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace trunkline::cli::process {
namespace {

void interrupt_twice() {
  Interruption interruption;
  interruption.on_end([] { std::fputs("put in order", stderr); });
  const StopScope stop_scope(interruption, [] {});
  kill(getpid(), SIGINT);
  kill(getpid(), SIGTERM);
  while (true) pause();
}

TEST(InterruptionDeathTest, TheSecondSignalPutsThingsInOrderAndEndsTheProcess) {
  EXPECT_EXIT(interrupt_twice(), testing::ExitedWithCode(exit_status::signal_base + SIGTERM), "put in order");
}

}  // namespace
}  // namespace trunkline::cli::process
