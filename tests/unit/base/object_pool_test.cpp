// SPDX-License-Identifier: MIT
// ObjectPool: objects made and destroyed in recycled memory. thread_free_lists_test.cpp tests the lists.
#include "base/object_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

namespace trunkline::base {
namespace {

struct Counted {
  explicit Counted(int& alive, bool fails = false) : count(alive) {
    if (fails) throw std::runtime_error("not made");
    ++count;
  }
  ~Counted() { --count; }
  int& count;
};
using Pool = ObjectPool<Counted>;

TEST(ObjectPool, MakesAndDestroysInTheSameMemory) {
  int alive = 0;
  Counted* const first = Pool::make(alive);
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  EXPECT_EQ(alive, 1);
  Pool::free(first);
  EXPECT_EQ(alive, 0);

  Counted* const second = Pool::make(alive);

#ifndef TRUNKLINE_NO_POOLING
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second), address);
#else
  static_cast<void>(address);
#endif
  Pool::free(second);
}

TEST(ObjectPool, PassesOnWhatAConstructorThrows) {
  int alive = 0;

  EXPECT_THROW(Pool::make(alive, true), std::runtime_error);

  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace trunkline::base
