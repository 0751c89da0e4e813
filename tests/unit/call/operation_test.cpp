// SPDX-License-Identifier: MIT
// Memory of operations, and the queue that completes them.
#include "call/completion_queue.h"

#include <trunkline/detail/operation_memory.h>

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace trunkline::call {

namespace {

TEST(OperationMemory, ServesAllSizesFromAnyThread) {
  std::vector<std::pair<void*, std::size_t>> taken;
  for (std::size_t size = 0; size <= 4096; size += 61) {
    void* memory = detail::allocate_operation(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 16, 0u);
    std::memset(memory, 0xab, size);
    taken.emplace_back(memory, size);
  }

  std::thread([&] {
    for (const auto& [memory, size] : taken) detail::free_operation(memory, size);
  }).join();
}

TEST(OperationMemory, FreesTheMemoryIfAConstructorThrows) {
  struct Throwing {
    Throwing() { throw 1; }
  };

  EXPECT_THROW(detail::make_operation<Throwing>(), int);
}

struct Counted : detail::StreamOperation {
  Counted(std::vector<int>& order, int my_number)
      : detail::StreamOperation([](detail::StreamOperation& operation) {
          auto& self = static_cast<Counted&>(operation);
          self.log.push_back(self.number);
          if (self.then != nullptr) self.queue->push(*std::exchange(self.then, nullptr));
        }),
        log(order),
        number(my_number) {}
  std::vector<int>& log;
  int number;
  Counted* then = nullptr;
  CompletionQueue* queue = nullptr;
};

TEST(CompletionQueue, CompletesInOrderWithOperationsAddedMeanwhile) {
  int wakes = 0;
  CompletionQueue queue([](void* count) { ++*static_cast<int*>(count); }, &wakes);
  std::vector<int> log;
  Counted first(log, 1);
  Counted second(log, 2);
  Counted third(log, 3);
  first.then = &third;
  first.queue = &queue;

  queue.push(first);
  queue.push(second);
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(wakes, 1);
  queue.run();

  EXPECT_EQ(log, (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(queue.empty());
}

TEST(CompletionQueue, LeavesTheRestToALaterTurn) {
  int wakes = 0;
  CompletionQueue queue([](void* count) { ++*static_cast<int*>(count); }, &wakes);
  std::vector<int> log;
  std::vector<std::unique_ptr<Counted>> operations;
  for (int i = 0; i < 1000; ++i) {
    operations.push_back(std::make_unique<Counted>(log, i));
    queue.push(*operations.back());
  }

  queue.run();
  const std::size_t after_one = log.size();
  int runs = 1;
  for (; !queue.empty(); ++runs) queue.run();

  EXPECT_LT(after_one, 1000u);
  EXPECT_EQ(log.size(), 1000u);
  EXPECT_GE(wakes, runs);
}

}  // namespace

}  // namespace trunkline::call
