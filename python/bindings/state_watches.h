// SPDX-License-Identifier: MIT
// StateWatches: the inboxes that are told of a channel's states.
#pragma once

#include "completion.h"

#include <trunkline/channel_state.h>

#include <memory>
#include <mutex>
#include <vector>

namespace trunkline::python {

/// A list that Python's channel shares with the core's, which may live longer. Any thread may use it, unless noted.
class StateWatches {
 public:
  /// Has `inbox` get each new state from now on, with `tag`, behind the completions that are in it. Requires the GIL.
  void add(std::shared_ptr<Inbox> inbox, const py::handle& tag);
  /// Ends the watches with this tag. Requires the GIL.
  void remove(const py::handle& tag);
  void notify(ChannelState state);
  /// Ends all watches.
  void clear();

 private:
  class Change;
  struct Watch {
    std::shared_ptr<Inbox> inbox;
    std::shared_ptr<const Reference> tag;
  };

  std::vector<Watch> copy() const;

  /// Guards watches_. No reference is released while it is held, since that may run Python code.
  mutable std::mutex mutex_;
  std::vector<Watch> watches_;
};

}  // namespace trunkline::python
