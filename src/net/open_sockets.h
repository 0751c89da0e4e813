// SPDX-License-Identifier: MIT
// OpenSockets: the sockets of this process, which its forked children are not to keep.
#pragma once

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace trunkline::net {

/// A forked child holds a copy of each socket: while it lives, names stay taken and peers do not see connections end,
/// whatever the parent does. Where nothing made before a fork is used in the child, as in Python, the copies are closed
/// there. Whoever forks to let children accept on an inherited listener does not ask for that. Any thread.
class OpenSockets {
 public:
  /// For sockets made from here on, in every child of this process and its children. Once is enough.
  static void close_in_children();

  /// `make()` gives a new socket, or a negative number. No fork comes between it and what is remembered of it.
  template <class Make>
  static int make(Make make) {
    if (!is_wanted()) return make();
    OpenSockets& sockets = of_process();
    const std::lock_guard lock(sockets.mutex_);
    const int socket = make();
    if (socket >= 0) sockets.remember(socket);
    return socket;
  }
  /// `close()` closes `socket`, likewise.
  template <class Close>
  static void close(int socket, Close close) noexcept {
    if (!is_wanted() || socket < 0) return close();
    OpenSockets& sockets = of_process();
    const std::lock_guard lock(sockets.mutex_);
    sockets.forget(socket);
    close();
  }
  static void close(int socket) noexcept {
    close(socket, [socket] { ::close(socket); });
  }

 private:
  OpenSockets() = default;
  static bool is_wanted() noexcept { return wanted_.load(std::memory_order_acquire); }
  static OpenSockets& of_process();
  void remember(int socket);
  void forget(int socket) noexcept;
  void close_all() noexcept;

  inline static std::atomic<bool> wanted_{false};
  std::mutex mutex_;
  std::vector<bool> is_open_;  // by number
};

}  // namespace trunkline::net
