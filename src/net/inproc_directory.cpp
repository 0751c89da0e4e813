// SPDX-License-Identifier: MIT
// The table of inproc:// names.
#include "net/inproc_directory.h"

#include <pthread.h>

namespace trunkline::net {

InprocDirectory& InprocDirectory::of_process() {
  // Never destroyed: a listener may outlive what is destroyed at the end of the process.
  static InprocDirectory& directory = *make_for_process();
  return directory;
}

namespace {
[[maybe_unused]] const InprocDirectory& made_early = InprocDirectory::of_process();
}

InprocDirectory* InprocDirectory::make_for_process() {
  // A thread may be in it while another forks: the child must find neither a locked mutex nor half a table.
  static_cast<void>(::pthread_atfork([] { of_process().mutex_.lock(); }, [] { of_process().mutex_.unlock(); },
                                     [] { of_process().start_anew(); }));
  return new InprocDirectory;
}

/// In a child, with the mutex held.
void InprocDirectory::start_anew() {
  entries_.clear();
  mutex_.unlock();
}

Status InprocDirectory::add(const std::string& name, Loop& loop, const std::shared_ptr<Accept>& accept) {
  const std::lock_guard lock(mutex_);
  if (!entries_.emplace(name, Entry{&loop, accept}).second) {
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
  // Shared only because std::function wants to copy. Given up outside the lock.
  const auto shared_end = std::make_shared<MemoryEnd>(std::move(end));
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    Status status(StatusCode::unavailable, "connect inproc://" + name + ": nothing listens there",
                  StatusOrigin::transport);
    status.set_may_have_run(false);
    return status;
  }
  found->second.loop->post([accept = found->second.accept, shared_end] {
    if (const std::shared_ptr<Accept> listening = accept.lock()) (*listening)(std::move(*shared_end));
  });
  return {};
}

}  // namespace trunkline::net
