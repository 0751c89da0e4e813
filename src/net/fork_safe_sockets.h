// SPDX-License-Identifier: MIT
// ForkSafeSockets: closes the copies of this process's sockets in its forked children.
#pragma once

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace trunkline::net {

/// A forked child holds a copy of each socket. As long as it lives, addresses stay in use and peers do not see
/// connections end, whatever the parent does. A program whose children use nothing that was made before the fork, such
/// as one in Python, therefore has the copies closed. A program that forks children to accept on an inherited listener
/// does not call close_in_children(). Any thread may call the functions.
class ForkSafeSockets {
 public:
  /// Has sockets that are made from now on closed in children of this process, and in their children. Further calls
  /// have no effect.
  static void close_in_children();

  /// `make()` returns a new socket, or a negative number. The process cannot fork between that and the entry in the
  /// table.
  template <class Make>
  static int make(Make make) {
    if (!is_enabled()) return make();
    ForkSafeSockets& sockets = of_process();
    const std::lock_guard lock(sockets.mutex_);
    const int socket = make();
    if (socket >= 0) sockets.insert(socket);
    return socket;
  }
  /// `close()` closes `socket`. The process cannot fork between that and the removal from the table.
  template <class Close>
  static void close(int socket, Close close) noexcept {
    if (!is_enabled() || socket < 0) return close();
    ForkSafeSockets& sockets = of_process();
    const std::lock_guard lock(sockets.mutex_);
    sockets.erase(socket);
    close();
  }
  static void close(int socket) noexcept {
    close(socket, [socket] { ::close(socket); });
  }

 private:
  ForkSafeSockets() = default;
  static bool is_enabled() noexcept { return enabled_.load(std::memory_order_acquire); }
  static ForkSafeSockets& of_process();
  void insert(int socket);
  void erase(int socket) noexcept;
  void close_all() noexcept;

  inline static std::atomic<bool> enabled_{false};
  std::mutex mutex_;
  /// The entries, indexed by descriptor.
  std::vector<bool> is_open_;
};

}  // namespace trunkline::net
