// SPDX-License-Identifier: MIT
// The table of inproc:// names outlives every object of the program.
#include "net/inproc_directory.h"

#include <gtest/gtest.h>

#include <malloc.h>
#include <cstdlib>

namespace trunkline::net {
namespace {

/// As a listener of static storage duration.
struct Late {
  ~Late() {
    InprocDirectory::of_process().remove("late", accept);
    const bool is_free = InprocDirectory::of_process().add("late", {loop}, accept).is_ok();
    std::_Exit(is_free ? 0 : 1);
  }
  Loop* loop = nullptr;
  std::shared_ptr<InprocDirectory::Accept> accept = std::make_shared<InprocDirectory::Accept>();
};

[[noreturn]] void exit_with_a_late_listener() {
  // Freed memory is overwritten.
  ::mallopt(M_PERTURB, 0xA5);
  static Loop loop;
  static Late late;
  late.loop = &loop;
  static_cast<void>(InprocDirectory::of_process().add("late", {&loop}, late.accept));
  std::exit(2);
}

TEST(InprocDirectoryDeathTest, MayBeUsedByStaticDestructors) {
  // In a process of its own, nothing has used the table before.
  GTEST_FLAG_SET(death_test_style, "threadsafe");

  EXPECT_EXIT(exit_with_a_late_listener(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace trunkline::net
