// SPDX-License-Identifier: MIT
// InprocDirectory: which listener answers to which inproc:// name.
#pragma once

#include "net/loop.h"
#include "net/memory_transport.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace trunkline::net {

/// The names of a process are one namespace, as its ports are: the one table of the library that all loops share. It
/// holds only what listens at the moment. Any thread.
class InprocDirectory {
 public:
  using Accept = std::function<void(MemoryEnd end)>;

  /// A forked child has one of its own, empty: its parent's listeners are not there. Made before main(), or when the
  /// library is loaded, so that no thread forks meanwhile.
  static InprocDirectory& of_process();

  /// `accept` is called on `loop` for each connection until remove() with it, or until its last owner lets it go.
  /// Error: already_exists. `loop` must live until remove().
  Status add(const std::string& name, Loop& loop, const std::shared_ptr<Accept>& accept);
  /// Does nothing if the name is somebody else's by now: a child of fork() inherits listeners, not their names.
  void remove(const std::string& name, const std::shared_ptr<Accept>& accept);
  /// Hands `end` to the listener; unavailable if there is none.
  Status connect(const std::string& name, MemoryEnd end);

 private:
  struct Entry {
    Loop* loop;
    std::weak_ptr<Accept> accept;
  };

  static InprocDirectory* make_for_process();
  void start_anew();

  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
};

}  // namespace trunkline::net
