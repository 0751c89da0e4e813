// SPDX-License-Identifier: MIT
// ForkSafeSockets: keeps the table of sockets, and closes the copies in a child.
#include "net/fork_safe_sockets.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>

namespace trunkline::net {

ForkSafeSockets& ForkSafeSockets::of_process() {
  // The table is never destroyed: sockets may be closed at the very end of the process.
  static ForkSafeSockets& sockets = *new ForkSafeSockets;
  return sockets;
}

void ForkSafeSockets::close_in_children() {
  static const int watched = ::pthread_atfork([] { of_process().mutex_.lock(); }, [] { of_process().mutex_.unlock(); },
                                              [] {
                                                of_process().close_all();
                                                of_process().mutex_.unlock();
                                              });
  if (watched == 0) enabled_.store(true, std::memory_order_release);
}

void ForkSafeSockets::insert(int socket) {
  const auto number = static_cast<std::size_t>(socket);
  try {
    if (number >= is_open_.size()) is_open_.resize(number + 1);
    is_open_[number] = true;
  } catch (const std::exception&) {
    // If there is no memory for the entry, children keep this socket.
  }
}

void ForkSafeSockets::erase(int socket) noexcept {
  const auto number = static_cast<std::size_t>(socket);
  if (number < is_open_.size()) is_open_[number] = false;
}

/// Closes the sockets in a child. An unconnected socket takes over the descriptors: if an object of the parent's closes
/// one of them later, it does not close another file of the child's.
void ForkSafeSockets::close_all() noexcept {
  int unconnected = -1;
  bool is_extra = false;
  for (std::size_t number = 0; number < is_open_.size(); ++number) {
    if (!is_open_[number]) continue;
    const int socket = static_cast<int>(number);
    is_open_[number] = false;
    if (unconnected < 0) {
      ::close(socket);
      unconnected = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      is_extra = unconnected >= 0 && unconnected != socket;
      if (!is_extra) continue;
    }
    if (unconnected >= 0) {
      ::dup3(unconnected, socket, O_CLOEXEC);
    } else {
      ::close(socket);
    }
  }
  if (is_extra) ::close(unconnected);
}

}  // namespace trunkline::net
