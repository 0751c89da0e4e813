// SPDX-License-Identifier: MIT
// What a child does with its copies.
#include "net/open_sockets.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>

namespace trunkline::net {

OpenSockets& OpenSockets::of_process() {
  // Never destroyed: sockets may be closed at the very end of the process.
  static OpenSockets& sockets = *new OpenSockets;
  return sockets;
}

void OpenSockets::close_in_children() {
  static const int watched = ::pthread_atfork([] { of_process().mutex_.lock(); }, [] { of_process().mutex_.unlock(); },
                                              [] {
                                                of_process().close_all();
                                                of_process().mutex_.unlock();
                                              });
  if (watched == 0) wanted_.store(true, std::memory_order_release);
}

void OpenSockets::remember(int socket) {
  const auto number = static_cast<std::size_t>(socket);
  try {
    if (number >= is_open_.size()) is_open_.resize(number + 1);
    is_open_[number] = true;
  } catch (const std::exception&) {
    // Without memory for it children keep this one.
  }
}

void OpenSockets::forget(int socket) noexcept {
  const auto number = static_cast<std::size_t>(socket);
  if (number < is_open_.size()) is_open_[number] = false;
}

/// In a child. The numbers stay taken, by a socket that is nothing: should what is left of the parent's objects close
/// one of them after all, it closes nothing else.
void OpenSockets::close_all() noexcept {
  int nothing = -1;
  bool is_extra = false;
  for (std::size_t number = 0; number < is_open_.size(); ++number) {
    if (!is_open_[number]) continue;
    const int socket = static_cast<int>(number);
    is_open_[number] = false;
    if (nothing < 0) {
      ::close(socket);
      nothing = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      is_extra = nothing >= 0 && nothing != socket;
      if (!is_extra) continue;
    }
    if (nothing >= 0) {
      ::dup3(nothing, socket, O_CLOEXEC);
    } else {
      ::close(socket);
    }
  }
  if (is_extra) ::close(nothing);
}

}  // namespace trunkline::net
