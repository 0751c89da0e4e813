// SPDX-License-Identifier: MIT
// SocketTransport: reads and writes sockets with one system call each.
#include "net/socket_transport.h"

#include "net/system_error.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace trunkline::net {

namespace {

constexpr std::size_t max_spans = 64;

template <class Span>
std::size_t to_iovec(std::span<const Span> spans, std::array<iovec, max_spans>& out) noexcept {
  const std::size_t count = std::min(spans.size(), max_spans);
  for (std::size_t i = 0; i < count; ++i) {
    // iovec serves both directions, so its pointer is not const.
    out[i] = {const_cast<void*>(static_cast<const void*>(spans[i].data())), spans[i].size()};
  }
  return count;
}

bool is_would_block(int error_number) noexcept { return error_number == EAGAIN || error_number == EWOULDBLOCK; }

}  // namespace

IoResult SocketTransport::read(std::span<const MutableByteSpan> into) {
  std::array<iovec, max_spans> vectors;
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = to_iovec(into, vectors);
  ssize_t count = -1;
  do {
    count = ::recvmsg(watcher_->socket(), &message, 0);
  } while (count < 0 && errno == EINTR);
  if (count > 0) return {IoState::ok, static_cast<std::size_t>(count), {}};
  if (count == 0) return {IoState::end_of_stream, 0, {}};
  return is_would_block(errno) ? IoResult{IoState::would_block, 0, {}} : failed("read from ", errno);
}

IoResult SocketTransport::write(std::span<const ByteSpan> from) {
  std::array<iovec, max_spans> vectors;
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = to_iovec(from, vectors);
  ssize_t count = -1;
  do {
    count = ::sendmsg(watcher_->socket(), &message, MSG_NOSIGNAL);
  } while (count < 0 && errno == EINTR);
  if (count >= 0) return {count > 0 ? IoState::ok : IoState::would_block, static_cast<std::size_t>(count), {}};
  return is_would_block(errno) ? IoResult{IoState::would_block, 0, {}} : failed("write to ", errno);
}

void SocketTransport::shutdown_send() {
  if (watcher_->is_open()) ::shutdown(watcher_->socket(), SHUT_WR);
}

void SocketTransport::reset() {
  if (watcher_->is_open()) set_reset_on_close(watcher_->socket());
  close();
}

IoResult SocketTransport::failed(std::string_view tried, int error_number) const {
  const Status reason = system_status(std::string(tried) + peer_.address, error_number);
  return {IoState::failed, 0, Status(StatusCode::unavailable, reason.message(), StatusOrigin::transport)};
}

}  // namespace trunkline::net
