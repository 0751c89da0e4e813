// SPDX-License-Identifier: MIT
// TimerWheel against a model: random schedules, cancellations and steps of time, compared with a sorted map.
#include "base/timer_wheel.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace trunkline::base {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint start{std::chrono::hours(24)};

/// The wheel and its model: a map from each tick to the timers whose deadlines round up to it.
class Comparison {
 public:
  explicit Comparison(std::uint64_t seed) : random_(seed) {
    for (std::size_t id = 0; id < 200; ++id) nodes_.emplace_back(*this, id);
  }

  void run(int steps) {
    for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
      const std::uint64_t choice = random_() % 10;
      if (choice < 6) {
        schedule(random_() % nodes_.size(), now_ + random_span());
      } else if (choice < 7) {
        cancel(random_() % nodes_.size());
      } else {
        advance(choice < 9 ? now_ + random_span() / 8 : std::max(now_, next_wakeup()));
      }
      ASSERT_EQ(wheel_.size(), model_.size());
      check_wakeup();
    }
  }
  std::size_t fired() const { return total_fired_; }

 private:
  struct Node {
    Node(Comparison& comparison, std::size_t number) : owner(comparison), id(number), timer(&Node::fire, this) {}
    static void fire(Timer&, void* node, TimePoint) {
      static_cast<Node*>(node)->owner.on_fire(static_cast<Node*>(node)->id);
    }
    Comparison& owner;
    std::size_t id;
    Timer timer;
  };
  using Model = std::multimap<std::int64_t, std::size_t>;

  static std::int64_t tick_of(TimePoint time) {
    return time <= start ? 0 : (time - start + TimerWheel::tick - Duration(1)) / TimerWheel::tick;
  }

  /// Spans of every magnitude, from nanoseconds to a hundred days; some are negative.
  Duration random_span() {
    const std::uint64_t magnitude = random_() % 54;
    const auto span = static_cast<std::int64_t>(random_() % (std::uint64_t{1} << magnitude));
    return Duration(random_() % 16 == 0 ? -span : span);
  }

  void forget(std::size_t id) {
    std::erase_if(model_, [id](const auto& entry) { return entry.second == id; });
  }
  void schedule(std::size_t id, TimePoint deadline) {
    wheel_.schedule(nodes_[id].timer, deadline);
    forget(id);
    model_.emplace(std::max(tick_of(deadline), current_tick_), id);
  }
  void cancel(std::size_t id) {
    nodes_[id].timer.cancel();
    forget(id);
  }

  TimePoint next_wakeup() const { return wheel_.next_wakeup() == never ? now_ : wheel_.next_wakeup(); }

  void advance(TimePoint to) {
    now_ = std::max(now_, to);
    current_tick_ = (now_ - start) / TimerWheel::tick;
    due_.clear();
    while (!model_.empty() && model_.begin()->first <= current_tick_) {
      due_.push_back({model_.begin()->first, model_.begin()->second});
      model_.erase(model_.begin());
    }
    fired_.clear();
    wheel_.advance(now_);
    ASSERT_EQ(fired_.size(), due_.size());
  }

  /// Runs inside advance(): checks the order, then schedules and cancels timers, including some that are still due.
  void on_fire(std::size_t id) {
    const auto expected = std::find_if(due_.begin(), due_.end(), [id](const Due& due) { return due.id == id; });
    ASSERT_NE(expected, due_.end()) << "timer " << id << " fired and was not due";
    ASSERT_TRUE(fired_.empty() || fired_.back() <= expected->tick) << "timer " << id << " fired out of order";
    fired_.push_back(expected->tick);
    expected->id = SIZE_MAX;
    ++total_fired_;
    if (random_() % 3 != 0) return;
    const std::size_t other = random_() % 4 == 0 ? id : random_() % nodes_.size();
    std::erase_if(due_, [other](const Due& due) { return due.id == other; });
    if (random_() % 2 == 0) {
      schedule(other, now_ + random_span());
    } else {
      cancel(other);
    }
  }

  void check_wakeup() {
    if (model_.empty()) {
      ASSERT_EQ(wheel_.next_wakeup(), never);
    } else {
      ASSERT_LE(wheel_.next_wakeup(), start + model_.begin()->first * TimerWheel::tick);
    }
  }

  struct Due {
    std::int64_t tick;
    std::size_t id;
  };

  std::mt19937_64 random_;
  TimerWheel wheel_{start};
  std::deque<Node> nodes_;
  Model model_;
  TimePoint now_ = start;
  std::int64_t current_tick_ = 0;
  std::vector<Due> due_;
  std::vector<std::int64_t> fired_;
  std::size_t total_fired_ = 0;
};

TEST(TimerWheelModel, AgreesWithASortedMap) {
  const char* given = std::getenv("TRUNKLINE_SEED");
  const std::uint64_t first_seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();

  for (std::uint64_t seed = first_seed; seed < first_seed + 10; ++seed) {
    SCOPED_TRACE("TRUNKLINE_SEED=" + std::to_string(seed));
    Comparison comparison(seed);
    comparison.run(3000);

    ASSERT_FALSE(::testing::Test::HasFailure());
    EXPECT_GT(comparison.fired(), 500u);
  }
}

}  // namespace
}  // namespace trunkline::base
