// SPDX-License-Identifier: MIT
// CallWindow: a bounded number of calls of one method under way at once, their answers taken in order, in lists.
#pragma once

#include "client_call.h"

#include <deque>
#include <memory>
#include <string_view>

namespace trunkline::python {

class ClientChannel;

/// With the GIL; one thread at a time.
class CallWindow {
 public:
  CallWindow(std::shared_ptr<ClientChannel> channel, std::string_view method, std::string_view codec,
             std::shared_ptr<CallSettings> settings, std::size_t size);

  /// Begins a call with each of `requests`, each once there is room in the window for it. Waits for the oldest call
  /// also if the window is full at the end, or `wait` is set and there is one, unless it has outcomes to return.
  /// Returns the outcomes that are there, oldest first: bytes or exceptions.
  py::list exchange(const py::list& requests, bool wait);
  /// Gives up what is under way.
  void cancel();

 private:
  void take_done(py::list& outcomes);

  std::shared_ptr<ClientChannel> channel_;
  Method method_;
  std::string_view codec_;
  std::shared_ptr<CallSettings> settings_;
  std::size_t size_;
  std::deque<std::shared_ptr<ClientCall>> calls_;
};

}  // namespace trunkline::python
