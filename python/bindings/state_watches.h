// SPDX-License-Identifier: MIT
// StateWatches: the inboxes that are told of a channel's states.
#pragma once

#include "completion.h"

#include <trunkline/channel_state.h>

#include <memory>
#include <mutex>
#include <vector>

namespace trunkline::python {

/// Shared by what Python holds of a channel and by the channel, which may live longer. Any thread, except where noted.
class StateWatches {
 public:
  /// From now on `inbox` gets each new state, with `tag`, behind the completions that are in it. With the GIL.
  void add(std::shared_ptr<Inbox> inbox, const py::handle& tag);
  /// Ends those with this tag. With the GIL.
  void remove(const py::handle& tag);
  void notify(ChannelState state);
  /// Ends all of them.
  void clear();

 private:
  class Change;
  struct Watch {
    std::shared_ptr<Inbox> inbox;
    std::shared_ptr<const Reference> tag;
  };

  std::vector<Watch> copy() const;

  /// Guards watches_. References are not released with it held: that may run Python code.
  mutable std::mutex mutex_;
  std::vector<Watch> watches_;
};

}  // namespace trunkline::python
