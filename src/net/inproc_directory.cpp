// SPDX-License-Identifier: MIT
// InprocDirectory: the table of inproc:// names.
#include "net/inproc_directory.h"

#include <pthread.h>

#include <atomic>
#include <utility>

namespace trunkline::net {

InprocDirectory& InprocDirectory::of_process() {
  // The directory is never destroyed: a listener may outlive the static objects of the process.
  static InprocDirectory& directory = *make_for_process();
  return directory;
}

namespace {
[[maybe_unused]] const InprocDirectory& made_early = InprocDirectory::of_process();
}

InprocDirectory* InprocDirectory::make_for_process() {
  // While one thread uses the table, another may fork. The child must find the mutex unlocked and the table complete.
  static_cast<void>(::pthread_atfork([] { of_process().mutex_.lock(); }, [] { of_process().mutex_.unlock(); },
                                     [] { of_process().reset(); }));
  return new InprocDirectory;
}

/// Empties the table in a child, with the mutex held.
void InprocDirectory::reset() {
  entries_.clear();
  mutex_.unlock();
}

namespace {
/// A connection that is offered to several loops.
struct Offer {
  explicit Offer(MemoryEnd offered) : end(std::move(offered)) {}
  MemoryEnd end;
  std::atomic<bool> is_taken{false};
};
}  // namespace

Status InprocDirectory::add(const std::string& name, std::vector<Loop*> loops, const std::shared_ptr<Accept>& accept) {
  const std::lock_guard lock(mutex_);
  if (!entries_.emplace(name, Entry{std::move(loops), accept}).second) {
    return {StatusCode::already_exists, "listen on inproc://" + name + ": address already in use",
            StatusOrigin::transport};
  }
  return {};
}

void InprocDirectory::remove(const std::string& name, const std::shared_ptr<Accept>& accept) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found != entries_.end() && found->second.accept.lock() == accept) entries_.erase(found);
}

Status InprocDirectory::connect(const std::string& name, MemoryEnd end) {
  // The offer is released without the lock.
  const auto offer = std::make_shared<Offer>(std::move(end));
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    Status status(StatusCode::unavailable, "connect inproc://" + name + ": nothing listens there",
                  StatusOrigin::transport);
    status.set_may_have_run(false);
    return status;
  }
  for (Loop* const loop : found->second.loops) {
    loop->post([accept = found->second.accept, offer, loop] {
      if (offer->is_taken.exchange(true)) return;
      // The end is closed at once if nothing listens any more: other loops may keep the offer for long.
      MemoryEnd taken = std::move(offer->end);
      if (const std::shared_ptr<Accept> listening = accept.lock()) (*listening)(*loop, std::move(taken));
    });
  }
  return {};
}

}  // namespace trunkline::net
