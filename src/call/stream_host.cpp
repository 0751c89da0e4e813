// SPDX-License-Identifier: MIT
// StreamHost: blocking operations on a loop that another thread runs.
#include "call/stream_host.h"

namespace trunkline::call {

bool StreamHost::block(WaitPoint& done, const std::function<void()>& begin) {
  if (is_on_loop()) return false;
  post(begin);
  done.wait();
  return true;
}

bool StreamHost::run(detail::StreamOperation& operation, const std::function<void()>& begin) {
  WaitPoint done;
  operation.waiter = &done;
  operation.complete = [](detail::StreamOperation& ended) { static_cast<WaitPoint*>(ended.waiter)->signal(); };
  return block(done, begin);
}

}  // namespace trunkline::call
