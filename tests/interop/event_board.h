// SPDX-License-Identifier: MIT
// EventBoard: what handlers of the conformance server tell, and wait for. Threads wait, nothing is polled.
#pragma once

#include <trunkline/result.h>
#include <trunkline/server_context.h>
#include <trunkline/value.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace trunkline::interop {

/// For blocking handlers, on any thread.
class EventBoard {
 public:
  void tell(const std::string& name, Value value = {}) {
    const std::lock_guard lock(mutex_);
    events_[name] = std::move(value);
    changed_.notify_all();
  }

  /// Error: cancelled, if the call that waits is.
  Result<Value> wait_for(const std::string& name, ServerContext& context) {
    wait(context, [&] { return events_.contains(name); });
    const std::lock_guard lock(mutex_);
    const auto found = events_.find(name);
    if (found == events_.end())
      return Status(StatusCode::cancelled, "wait for event " + name + ": the caller has gone");
    return found->second;
  }

  void wait_until_cancelled(ServerContext& context) {
    wait(context, [] { return false; });
  }

 private:
  template <class Condition>
  void wait(ServerContext& context, const Condition& holds) {
    context.on_cancel([this] {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return context.is_cancelled() || holds(); });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Value> events_;
};

}  // namespace trunkline::interop
