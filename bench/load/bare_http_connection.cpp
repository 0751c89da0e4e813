// SPDX-License-Identifier: MIT
// Reads into one buffer and writes from another.
#include "bare_http_connection.h"

#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace trunkline::bench {
namespace {

constexpr std::size_t read_bytes = 256 << 10;

bool would_block() noexcept { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

BareHttpConnection::BareHttpConnection(int socket) : socket_(socket), input_(read_bytes) {}

BareHttpConnection::~BareHttpConnection() { close(socket_); }

bool BareHttpConnection::read_requests() {
  const ssize_t got = recv(socket_, input_.data() + filled_, input_.size() - filled_, 0);
  if (got < 0) return would_block();
  if (got == 0) return false;
  filled_ += static_cast<std::size_t>(got);
  const std::size_t done = take_requests(input_.data(), filled_);
  filled_ -= done;
  if (done > 0 && filled_ > 0) std::memmove(input_.data(), input_.data() + done, filled_);
  return true;
}

bool BareHttpConnection::write_responses() noexcept {
  while (has_unwritten()) {
    const ssize_t sent = send(socket_, output_.data() + written_, output_.size() - written_, MSG_NOSIGNAL);
    if (sent < 0) return would_block();
    written_ += static_cast<std::size_t>(sent);
  }
  output_.clear();
  written_ = 0;
  return true;
}

}  // namespace trunkline::bench
