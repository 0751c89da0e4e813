// SPDX-License-Identifier: MIT
// InprocDirectory: the listeners of this process by their inproc:// names.
#pragma once

#include "net/loop.h"
#include "net/memory_transport.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace trunkline::net {

/// The inproc:// names of a process form one namespace, like the ports of a host. This is the only table of the library
/// that all loops share. It holds only the listeners that are open. Any thread may use it.
class InprocDirectory {
 public:
  using Accept = std::function<void(Loop& here, MemoryEnd end)>;

  /// Returns the directory, which is empty at first in a forked child: the listeners of the parent are not there. It is
  /// made before main(), or when the library is loaded, so that no thread can fork at the same time.
  static InprocDirectory& of_process();

  /// Adds a listener, until remove() or until its last owner releases it. `accept` is called for each connection on the
  /// first of `loops` (at least one) that takes it, so that a loop which a handler holds delays no connection. The
  /// loops must live until remove(). Error: already_exists.
  Status add(const std::string& name, std::vector<Loop*> loops, const std::shared_ptr<Accept>& accept);
  /// Removes a listener. No effect if `name` is not that of `accept`: a forked child inherits listeners without names.
  void remove(const std::string& name, const std::shared_ptr<Accept>& accept);
  /// Hands `end` to the listener. Error: unavailable if there is none.
  Status connect(const std::string& name, MemoryEnd end);

 private:
  struct Entry {
    std::vector<Loop*> loops;
    std::weak_ptr<Accept> accept;
  };

  static InprocDirectory* make_for_process();
  void reset();

  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
};

}  // namespace trunkline::net
