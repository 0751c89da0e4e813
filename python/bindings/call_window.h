// SPDX-License-Identifier: MIT
// CallWindow: a bounded number of concurrent calls of one method, whose outcomes are taken in order, in lists.
#pragma once

#include "client_call.h"

#include <deque>
#include <memory>
#include <string_view>

namespace trunkline::python {

class ClientChannel;

/// A window of calls. One thread at a time uses it, with the GIL.
class CallWindow {
 public:
  CallWindow(std::shared_ptr<ClientChannel> channel, std::string_view method, std::string_view codec,
             std::shared_ptr<CallSettings> settings, std::size_t size, Expects expects);

  /// Begins a call with each of `requests`, as soon as the window has room for it. Returns the outcomes that are there,
  /// oldest first: bytes or exceptions. Without any, waits for the oldest call if the window is full, or if `wait` is
  /// set and there is a call.
  py::list exchange(const py::list& requests, bool wait);
  /// Cancels the calls in progress.
  void cancel();

 private:
  void take_done(py::list& outcomes);

  std::shared_ptr<ClientChannel> channel_;
  Method method_;
  std::string_view codec_;
  std::shared_ptr<CallSettings> settings_;
  std::size_t size_;
  Expects expects_;
  std::deque<std::shared_ptr<ClientCall>> calls_;
};

}  // namespace trunkline::python
