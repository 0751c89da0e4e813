// SPDX-License-Identifier: MIT
// StateWatches: turns changes of states into completions that have ended.
#include "state_watches.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace trunkline::python {

/// A new state on its way to an inbox.
class StateWatches::Change final : public Completion {
 public:
  Change(std::shared_ptr<Pump> pump, std::shared_ptr<const Reference> watch, ChannelState state) noexcept
      : Completion(std::move(pump)), watch_(std::move(watch)), state_(state) {}

  py::object outcome() override {
    const std::string_view name = to_string(state_);
    return py::str(name.data(), name.size());
  }
  py::object tag() const override { return watch_->share(); }
  void cancel() override {}

 private:
  const std::shared_ptr<const Reference> watch_;
  const ChannelState state_;
};

void StateWatches::add(std::shared_ptr<Inbox> inbox, const py::handle& tag) {
  Watch watch{std::move(inbox), std::make_shared<const Reference>(tag)};
  const std::lock_guard lock(mutex_);
  watches_.push_back(std::move(watch));
}

void StateWatches::remove(const py::handle& tag) {
  std::vector<Watch> removed;
  const std::lock_guard lock(mutex_);
  const auto ended = std::stable_partition(watches_.begin(), watches_.end(),
                                           [&](const Watch& watch) { return watch.tag->get() != tag.ptr(); });
  removed.assign(std::make_move_iterator(ended), std::make_move_iterator(watches_.end()));
  watches_.erase(ended, watches_.end());
}

std::vector<StateWatches::Watch> StateWatches::copy() const {
  const std::lock_guard lock(mutex_);
  return watches_;
}

void StateWatches::notify(ChannelState state) {
  for (const Watch& watch : copy()) watch.inbox->push(std::make_shared<Change>(watch.inbox->pump(), watch.tag, state));
}

void StateWatches::clear() {
  std::vector<Watch> removed;
  const std::lock_guard lock(mutex_);
  removed.swap(watches_);
}

}  // namespace trunkline::python
