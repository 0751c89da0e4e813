// SPDX-License-Identifier: MIT
// The memory that sessions share.
#include "session/memory_budget.h"

#include "session/memory_share.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace trunkline::session {
namespace {

constexpr std::size_t kib = 1 << 10;

TEST(MemoryBudget, HasRoomForFourOfTheLongestMessages) {
  EXPECT_EQ(MemoryBudget(1000, 100).max_bytes(), 1000u);
  EXPECT_EQ(MemoryBudget(1000, 1000).max_bytes(), 4000u);
}

TEST(MemoryBudget, IsShortWhenMoreThanHalfIsUsed) {
  MemoryBudget budget(1000, 1);

  budget.add(500);
  EXPECT_FALSE(budget.is_short());
  budget.add(1);
  EXPECT_TRUE(budget.is_short());
  EXPECT_FALSE(budget.is_used_up());
  budget.add(499);
  EXPECT_TRUE(budget.is_used_up());
}

TEST(MemoryBudget, KeepsAQuarterForOneAtATime) {
  MemoryBudget budget(1000, 1);
  const int first = 0;
  const int second = 0;

  EXPECT_TRUE(budget.try_add(750));
  EXPECT_FALSE(budget.try_add(1));
  EXPECT_TRUE(budget.try_add_from_reserve(100, &first));
  EXPECT_FALSE(budget.try_add_from_reserve(100, &second));
  budget.free_reserve(&first);
  EXPECT_TRUE(budget.try_add_from_reserve(150, &second));
  EXPECT_EQ(budget.used(), 1000u);
}

TEST(MemoryAccount, LimitsTheShareOfAnAddressAndOneMessageBeyondIt) {
  MemoryBudget budget(1000 * kib, 1);
  const auto account = std::make_shared<MemoryAccount>(budget, 50);
  MemoryShare first(&budget, account);
  MemoryShare second(&budget, account);
  MemoryShare other(&budget);

  EXPECT_TRUE(first.try_take(400 * kib));
  EXPECT_TRUE(second.try_take(200 * kib)) << "one message at a time may exceed the share";
  EXPECT_FALSE(second.try_take(1));
  EXPECT_FALSE(first.try_take(1));
  EXPECT_TRUE(other.try_take(100 * kib));
  EXPECT_EQ(account->used(), 600 * kib);
  EXPECT_EQ(budget.used(), 700 * kib);
  second.update(0);
  second.free_reserve();
  EXPECT_TRUE(first.try_take(200 * kib));
  EXPECT_EQ(account->used(), 600 * kib);
}

TEST(MemoryAccount, ReturnsWhatTheBudgetRefuses) {
  MemoryBudget budget(1000 * kib, 1);
  const auto account = std::make_shared<MemoryAccount>(budget, 50);
  MemoryShare others(&budget);
  others.update(990 * kib);
  ASSERT_TRUE(others.try_take(1)) << "the reserve";
  MemoryShare share(&budget, account);

  EXPECT_FALSE(share.try_take(100 * kib));

  EXPECT_EQ(account->used(), 0u);
}

TEST(MemoryAccount, GivesItsTurnToOthersIfTheBudgetRefuses) {
  MemoryBudget budget(1000 * kib, 1);
  const auto account = std::make_shared<MemoryAccount>(budget, 50);
  MemoryShare first(&budget, account);
  MemoryShare second(&budget, account);
  first.update(500 * kib);
  MemoryShare others(&budget);
  others.update(490 * kib);
  ASSERT_TRUE(others.try_take(1)) << "the reserve";

  EXPECT_FALSE(first.try_take(100 * kib)) << "beyond the share, and the budget has no room";
  others.update(0);
  others.free_reserve();

  EXPECT_TRUE(second.try_take(100 * kib));
}

TEST(MemoryAccount, CountsTheRequestOfANewCallOnce) {
  MemoryBudget budget(1000 * kib, 1);
  const auto account = std::make_shared<MemoryAccount>(budget, 50);
  MemoryShare share(&budget, account);

  EXPECT_TRUE(share.try_take_for_request(100 * kib));

  EXPECT_EQ(account->used(), 100 * kib);
  EXPECT_EQ(budget.used(), 100 * kib);
}

TEST(MemoryAccount, OfAnAddressRefusesOnlyConnectionsThatHoldSomething) {
  MemoryBudget budget(64 << 20, 1);
  const auto account = std::make_shared<MemoryAccount>(budget, 25);
  MemoryShare greedy(&budget, account);
  MemoryShare modest(&budget, account);

  greedy.update(16 << 20);

  EXPECT_FALSE(budget.is_short());
  EXPECT_TRUE(greedy.is_short());
  EXPECT_TRUE(greedy.is_used_up());
  EXPECT_FALSE(modest.is_short());
  modest.update(100 << 10);
  EXPECT_TRUE(modest.is_short());
}

TEST(MemoryAccount, OfAnAddressThatHoldsFarTooMuchRefusesAllItsConnections) {
  MemoryBudget budget(64 << 20, 1);
  const auto account = std::make_shared<MemoryAccount>(budget, 50);
  MemoryShare greedy(&budget, account);
  MemoryShare modest(&budget, account);
  MemoryShare other(&budget, std::make_shared<MemoryAccount>(budget, 50));

  greedy.update(43 << 20);
  const bool was_short = modest.is_short();
  greedy.update(44 << 20);

  EXPECT_FALSE(was_short);
  EXPECT_TRUE(modest.is_short()) << "half way from the share to seven eighths";
  EXPECT_FALSE(other.is_short());
}

TEST(MemoryAccount, OfAnAddressThatHoldsLittleIsNotRefusedBecauseOthersHoldMuch) {
  MemoryBudget budget(64 << 20, 1);
  MemoryShare greedy(&budget, std::make_shared<MemoryAccount>(budget, 50));
  MemoryShare modest(&budget, std::make_shared<MemoryAccount>(budget, 50));
  modest.update(1 << 20);
  greedy.update(32 << 20);

  EXPECT_TRUE(budget.is_short());
  EXPECT_TRUE(greedy.is_short());
  EXPECT_FALSE(modest.is_short());
  modest.update(8 << 20);
  EXPECT_TRUE(modest.is_short()) << "a quarter of its share";
  modest.update(1 << 20);
  greedy.update(56 << 20);
  EXPECT_TRUE(modest.is_short()) << "seven eighths are used";
}

TEST(MemoryShare, ThatHoldsNothingIsShortOnlyWhenLittleIsLeft) {
  MemoryBudget budget(800, 1);
  MemoryShare nothing(&budget);

  budget.add(700);
  EXPECT_TRUE(budget.is_short());
  EXPECT_FALSE(nothing.is_short());
  budget.add(1);
  EXPECT_TRUE(nothing.is_short());
}

TEST(MemoryShare, MakesRoomThatDoesNotKeepOthersFromCalling) {
  MemoryBudget budget(1000 * kib, 1);
  MemoryShare share(&budget);

  ASSERT_TRUE(share.try_take(700 * kib));
  EXPECT_FALSE(budget.is_short()) << "nothing has come";
  EXPECT_FALSE(budget.try_add(100 * kib)) << "but there is no room for more";
  share.update(700 * kib, 200 * kib);
  EXPECT_TRUE(budget.is_short()) << "most has come";
  share.update(0);
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_EQ(budget.held(), 0u);
}

TEST(MemoryShare, TellsOthersThatItWaits) {
  MemoryBudget budget(1000, 1);
  MemoryShare other(&budget);
  {
    MemoryShare waiting(&budget);
    waiting.set_waiting(MemoryShare::Shortage::budget);
    waiting.set_waiting(MemoryShare::Shortage::budget);
    EXPECT_TRUE(other.is_wanted());
  }
  EXPECT_FALSE(other.is_wanted());
}

TEST(MemoryShare, HasLessRoomForRequests) {
  MemoryBudget budget(1000 * kib, 1);
  MemoryShare share(&budget);

  EXPECT_TRUE(share.try_take_for_request(375 * kib));
  EXPECT_FALSE(share.try_take_for_request(1));
  EXPECT_TRUE(share.try_take_for_late_request(62 * kib));
  EXPECT_FALSE(share.try_take_for_late_request(1 * kib)) << "at half, new calls are refused";
  EXPECT_TRUE(share.try_take(300 * kib));
}

TEST(MemoryShare, DoesNotCountWhatIsWithheldAgainstRequests) {
  MemoryBudget budget(16 << 20, 1);
  const auto account = std::make_shared<MemoryAccount>(budget, 100);
  MemoryShare share(&budget, account);
  MemoryShare other(&budget, account);
  share.update(6 << 20, 0, 4 << 20);

  EXPECT_TRUE(other.try_take_for_request(4 << 20));
  EXPECT_FALSE(other.try_take_for_request(1));
  share.update(0);
  EXPECT_EQ(budget.withheld() + account->withheld(), 0u);
}

TEST(MemoryShare, LetsOneFrameAtATimeThroughWhenAllIsUsed) {
  MemoryBudget budget(1000, 1);
  budget.add(1000);
  MemoryShare first(&budget);
  MemoryShare second(&budget);

  EXPECT_TRUE(first.try_begin_frame());
  EXPECT_FALSE(second.try_begin_frame());
  EXPECT_TRUE(first.try_begin_frame());
  first.end_frame();
  EXPECT_TRUE(second.try_begin_frame());
}

TEST(MemoryShare, KeepsNoFrameTurnThatIsOfNoUseToIt) {
  MemoryBudget budget(1000, 1);
  const auto account = std::make_shared<MemoryAccount>(budget, 50);
  MemoryShare first(&budget, account);
  MemoryShare second(&budget, account);
  MemoryShare elsewhere(&budget);
  budget.add(1000);
  ASSERT_TRUE(first.try_begin_frame()) << "has the budget's turn; the account is not used up";
  account->add(500);

  EXPECT_FALSE(second.try_begin_frame()) << "the budget's turn is taken";
  EXPECT_TRUE(first.try_begin_frame()) << "the account's turn is free";
  first.end_frame();
  EXPECT_TRUE(elsewhere.try_begin_frame());
}

TEST(MemoryBudget, GivesTheReserveAlsoWhenAllIsUsed) {
  MemoryBudget budget(1000, 1);
  const int owner = 0;
  budget.add(1000);

  EXPECT_TRUE(budget.try_add_from_reserve(100, &owner));
  EXPECT_EQ(budget.used(), 1100u);
}

TEST(MemoryBudget, ExceedsItsLimitByOneMessageAtMostFromSeveralThreads) {
  MemoryBudget budget(1000 * kib, 1);
  std::vector<std::thread> threads;
  std::atomic<bool> was_exceeded{false};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        MemoryShare share(&budget);
        static_cast<void>(share.try_take(300 * kib));
        if (budget.used() > budget.max_bytes() + 300 * kib) was_exceeded = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_FALSE(was_exceeded);
  EXPECT_EQ(budget.used(), 0u);
}

TEST(MemoryShare, TakesLargeStepsAndNothingForLittle) {
  MemoryBudget budget(1 << 30, 1);
  MemoryShare share(&budget);

  share.update(16 * kib);
  EXPECT_EQ(budget.used(), 0u);
  share.update(17 * kib);
  EXPECT_EQ(budget.used(), 64 * kib);
  share.update(64 * kib + 1);
  EXPECT_EQ(budget.used(), 128 * kib);
  share.update(100);
  EXPECT_EQ(budget.used(), 0u);
}

TEST(MemoryShare, ReturnsEverythingAtItsEnd) {
  MemoryBudget budget(1000 * kib, 1);
  {
    MemoryShare share(&budget);
    share.update(700 * kib);
    EXPECT_TRUE(share.try_take(200 * kib)) << "from the reserve";
    EXPECT_FALSE(share.try_take(1));
  }
  MemoryShare next(&budget);
  next.update(750 * kib);

  EXPECT_TRUE(next.try_take(100 * kib)) << "the reserve is free again";
}

TEST(MemoryShare, ReturnsEverythingOfItsAccountAtItsEnd) {
  MemoryBudget budget(1000 * kib, 1);
  const auto account = std::make_shared<MemoryAccount>(budget, 50);
  budget.add(1000 * kib);
  {
    MemoryShare share(&budget, account);
    share.update(500 * kib);
    EXPECT_TRUE(share.try_take(100 * kib)) << "beyond the share of the address, and from the reserve";
    EXPECT_TRUE(share.try_begin_frame());
    share.set_waiting(MemoryShare::Shortage::account);
  }

  EXPECT_EQ(account->used(), 0u);
  EXPECT_EQ(budget.used(), 1000 * kib);
  EXPECT_FALSE(account->has_waiting());
  account->add(500 * kib);
  MemoryShare next(&budget, account);
  EXPECT_TRUE(next.try_take(100 * kib)) << "the turn of the address is free again, and the reserve";
  EXPECT_TRUE(next.try_begin_frame());
  next.update(0);
  account->subtract(500 * kib);
  EXPECT_EQ(account->used(), 0u);
  EXPECT_FALSE(account->is_used_up()) << "no room has been left behind";
  account->add(500 * kib);
  EXPECT_TRUE(account->is_used_up()) << "no room has been left behind";
}

TEST(MemoryShare, WithoutABudgetHasNoLimit) {
  MemoryShare share(nullptr);

  EXPECT_TRUE(share.try_take(std::size_t{1} << 40));
  EXPECT_FALSE(share.is_short());
  EXPECT_FALSE(share.is_used_up());
}

}  // namespace
}  // namespace trunkline::session
