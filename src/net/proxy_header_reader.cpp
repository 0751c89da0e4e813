// SPDX-License-Identifier: MIT
// ProxyHeaderReader: looks at input before it takes it, so that the client's bytes stay in the socket, for TLS say.
#include "net/proxy_header_reader.h"

#include "net/loop.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

namespace trunkline::net {

void ProxyHeaderReader::read(SocketWatcher::Pointer socket, std::string tried, base::TimePoint deadline,
                             std::shared_ptr<PendingConnections> pending, Callback callback) {
  Loop& loop = socket->loop();
  auto owned = std::unique_ptr<ProxyHeaderReader>(
      new ProxyHeaderReader(std::move(socket), std::move(tried), std::move(pending), std::move(callback)));
  ProxyHeaderReader& reader = *owned;
  loop.adopt(std::move(owned));
  reader.socket_->set_observer(&reader);
  reader.socket_->wait_readable();
  loop.timers().schedule(reader.timeout_, deadline);
}

ProxyHeaderReader::ProxyHeaderReader(SocketWatcher::Pointer socket, std::string tried,
                                     std::shared_ptr<PendingConnections> pending, Callback callback)
    : socket_(std::move(socket)),
      tried_(std::move(tried)),
      callback_(std::move(callback)),
      timeout_(
          [](base::Timer&, void* self, base::TimePoint) {
            static_cast<ProxyHeaderReader*>(self)->fail(StatusCode::unavailable,
                                                        "the header has not come within handshake_timeout");
          },
          this),
      place_(std::move(pending), *this) {}

void ProxyHeaderReader::on_readable() {
  std::array<char, ProxyHeader::max_binary_bytes> bytes;
  for (;;) {
    const std::size_t room = bytes.size() - taken_.size();
    const ssize_t count = ::recv(socket_->socket(), bytes.data(), room, MSG_PEEK);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return socket_->wait_readable();
    if (count <= 0) return fail(StatusCode::unavailable, "the connection ended before the header was complete");
    const std::string seen = taken_ + std::string(bytes.data(), static_cast<std::size_t>(count));
    Result<ProxyHeader> header = ProxyHeader::read(as_bytes(seen));
    if (!header) return fail(header.status().code(), header.status().message());
    // If the header is incomplete, all of the bytes are the header's.
    const std::size_t used = header->size == 0 ? seen.size() : header->size;
    static_cast<void>(::recv(socket_->socket(), bytes.data(), used - taken_.size(), 0));
    if (header->size > 0) return finish(std::move(header));
    taken_ = seen;
  }
}

void ProxyHeaderReader::fail(StatusCode code, std::string_view reason) {
  finish(Status(code, tried_ + ": " + std::string(reason) +
                          "; a proxy in trusted_proxies has to send a header of the PROXY protocol"));
}

void ProxyHeaderReader::finish(Result<ProxyHeader> result) {
  timeout_.cancel();
  place_.leave();
  SocketWatcher::Pointer socket = std::move(socket_);
  socket->set_observer(nullptr);
  if (!result) socket->close();
  const std::unique_ptr<LoopOwned> self = socket->loop().release(*this);
  callback_(std::move(result), std::move(socket));
}

}  // namespace trunkline::net
