// SPDX-License-Identifier: MIT
// One read and one write per batch, without a copy in user space.
#include "bare_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace trunkline::bench {
namespace {

// Shared by all connections, since the bytes mean nothing. Small enough for the second-level cache.
std::array<char, 256 * 1024> input;
std::array<char, 256 * 1024> output;

bool would_block() noexcept { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

BareConnection::~BareConnection() { close(socket_); }

long BareConnection::read_frames() noexcept {
  const ssize_t got = recv(socket_, input.data(), input.size(), 0);
  if (got < 0 && would_block()) return 0;
  if (got <= 0) return -1;
  partial_ += static_cast<std::size_t>(got);
  const std::size_t frames = partial_ / frame_bytes_;
  partial_ -= frames * frame_bytes_;
  return static_cast<long>(frames);
}

bool BareConnection::write_frames(std::uint64_t count) noexcept {
  unwritten_ += count * frame_bytes_;
  while (unwritten_ > 0) {
    const ssize_t sent = send(socket_, output.data(), std::min<std::uint64_t>(unwritten_, output.size()), MSG_NOSIGNAL);
    if (sent < 0) return would_block();
    unwritten_ -= static_cast<std::uint64_t>(sent);
  }
  return true;
}

}  // namespace trunkline::bench
