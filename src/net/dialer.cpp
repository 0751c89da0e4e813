// SPDX-License-Identifier: MIT
// Connects: resolves the name, tries its addresses one after the other, shakes hands.
#include "net/dialer.h"

#include "net/inproc_directory.h"
#include "net/socket_address.h"
#include "net/socket_options.h"
#include "net/socket_transport.h"
#include "net/socket_watcher.h"
#include "net/system_error.h"
#include "net/tls_handshake.h"
#include "net/unique_socket.h"

#include <asio/ip/tcp.hpp>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::net {

namespace {

class StreamDial final : public Dial, public std::enable_shared_from_this<StreamDial>, private TransportObserver {
 public:
  StreamDial(Loop& loop, const Endpoint& endpoint, const DialOptions& options, DialCallback callback)
      : loop_(loop),
        endpoint_(endpoint),
        options_(options),
        callback_(std::move(callback)),
        tried_("connect " + endpoint.to_string()) {}
  ~StreamDial() override { cancel(); }

  void start() {
    deadline_ = base::deadline_after(loop_.now(), options_.connect_timeout);
    loop_.timers().schedule(timeout_, deadline_);
    if (Status status = check_options(options_.transport); !status.is_ok()) return finish_soon(std::move(status));
    if (endpoint_.scheme() == Scheme::inproc) return connect_inproc();
    if (endpoint_.scheme() == Scheme::tls) {
      if (Status status = load_tls(); !status.is_ok()) return finish_soon(std::move(status));
    }
    if (!options_.addresses.empty()) {
      addresses_ = options_.addresses;
      is_resolved_ = true;
    } else if (endpoint_.scheme() == Scheme::unix_socket) {
      addresses_.push_back(SocketAddress::of_unix(endpoint_));
    } else if (auto numeric = SocketAddress::of_numeric(endpoint_)) {
      addresses_.push_back(*numeric);
    } else {
      return resolve();
    }
    try_next();
  }

  void cancel() override {
    timeout_.cancel();
    attempt_timeout_.cancel();
    finish_.cancel();
    watcher_.reset();
    handshake_.reset();
    resolver_.reset();
    callback_ = nullptr;
  }

 private:
  Status load_tls() {
    if (options_.tls_cache != nullptr) tls_context_ = options_.tls_cache->context;
    if (tls_context_ != nullptr) return {};
    auto context = make_client_context(options_.tls);
    if (!context) return std::move(context).status();
    tls_context_ = std::move(*context);
    if (options_.tls_cache != nullptr) options_.tls_cache->context = tls_context_;
    return {};
  }

  void resolve() {
    resolver_.emplace(loop_.context());
    resolver_->async_resolve(
        endpoint_.host(), std::to_string(endpoint_.port()),
        [weak = weak_from_this()](const std::error_code& error, const asio::ip::tcp::resolver::results_type& found) {
          const std::shared_ptr<StreamDial> self = weak.lock();
          if (self == nullptr || !self->callback_) return;
          if (error)
            return self->finish_soon(system_status(self->tried_ + ": resolve " + self->endpoint_.host(), error));
          for (const auto& entry : found) self->addresses_.emplace_back(entry.endpoint());
          self->is_resolved_ = true;
          self->try_next();
        });
  }

  /// Begins to connect to the next address; skips those that fail at once.
  void try_next() {
    while (next_address_ < addresses_.size()) {
      const SocketAddress& address = addresses_[next_address_++];
      Status status = connect(address);
      if (status.is_ok()) return;
      last_error_ = std::move(status);
    }
    if (last_error_.is_ok())
      last_error_ = {StatusCode::unavailable, tried_ + ": the name has no address", StatusOrigin::transport};
    finish_soon(last_error_);
  }

  Status connect(const SocketAddress& address) {
    attempt_ = is_resolved_ ? tried_ + " (" + address.to_uri(Scheme::tcp).substr(6) + ")" : tried_;
    auto made = make_socket(address.family(), options_.transport, attempt_);
    if (!made) return std::move(made).status();
    UniqueSocket socket(*made);
    int error = ::connect(socket.get(), address.data(), address.size()) == 0 ? 0 : errno;
    if (error == EINTR) error = EINPROGRESS;
    if (error != 0 && error != EINPROGRESS) return system_status(attempt_, error);
    auto watcher = SocketWatcher::make(loop_, socket);
    if (!watcher) return std::move(watcher).status();
    watcher_ = std::move(*watcher);
    watcher_->set_observer(this);
    // Also if it is connected already, as a unix socket is, since the callback must not be called from inside dial().
    watcher_->wait_writable();
    limit_attempt();
    return {};
  }

  /// Gives the attempt its share of the time, so that an address that does not respond leaves time for the others.
  void limit_attempt() {
    const auto left = static_cast<base::Duration::rep>(addresses_.size() - next_address_);
    if (left == 0) return;
    const base::Duration share = (deadline_ - loop_.now()) / (left + 1);
    loop_.timers().schedule(attempt_timeout_, base::deadline_after(loop_.now(), share));
  }

  void attempt_timed_out() {
    const std::shared_ptr<StreamDial> self = shared_from_this();
    last_error_ = {StatusCode::unavailable, attempt_ + ": no response within its share of connect_timeout",
                   StatusOrigin::transport};
    watcher_.reset();
    try_next();
  }

  void on_readable() override {}
  void on_writable() override {
    const std::shared_ptr<StreamDial> self = shared_from_this();
    attempt_timeout_.cancel();
    int error = 0;
    socklen_t size = sizeof(error);
    if (::getsockopt(watcher_->socket(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    // The system may assign the port that is dialled to this very socket, which is then connected to itself.
    if (error == 0 && is_connected_to_itself()) error = ECONNREFUSED;
    if (error != 0) {
      last_error_ = system_status(attempt_, error);
      watcher_.reset();
      return try_next();
    }
    connected();
  }

  bool is_connected_to_itself() const {
    const SocketAddress local = SocketAddress::local_of(watcher_->socket());
    const SocketAddress peer = SocketAddress::peer_of(watcher_->socket());
    return local.family() != AF_UNIX && local.size() == peer.size() &&
           std::memcmp(local.data(), peer.data(), local.size()) == 0;
  }

  void connected() {
    const int socket = watcher_->socket();
    Status status = set_connected_options(socket, addresses_[next_address_ - 1].family(), options_.transport, attempt_);
    if (!status.is_ok()) return finish(std::move(status));
    PeerInfo peer = peer_info_of(socket, endpoint_.scheme());
    watcher_->set_observer(nullptr);
    if (endpoint_.scheme() != Scheme::tls) {
      return finish(
          std::unique_ptr<Transport>(std::make_unique<SocketTransport>(std::move(watcher_), std::move(peer))));
    }
    HandshakeOptions handshake;
    handshake.context = tls_context_;
    handshake.server_name = endpoint_.host();
    handshake.tried = attempt_;
    handshake_ = start_handshake(std::move(watcher_), std::move(peer), handshake,
                                 [this](Result<std::unique_ptr<Transport>> result) {
                                   const std::shared_ptr<StreamDial> self = shared_from_this();
                                   self->finish(std::move(result));
                                 });
  }

  void connect_inproc() {
    MemoryOptions memory;
    memory.address = endpoint_.to_string();
    auto [transport, end] = make_memory_link(loop_, memory);
    if (Status status = InprocDirectory::of_process().connect(endpoint_.path(), std::move(end)); !status.is_ok()) {
      return finish_soon(std::move(status));
    }
    finish_soon(std::move(transport));
  }

  void finish_soon(Result<std::unique_ptr<Transport>> result) {
    result_ = std::move(result);
    loop_.defer(finish_);
  }

  void finish(Result<std::unique_ptr<Transport>> result) {
    const std::shared_ptr<StreamDial> self = shared_from_this();
    const DialCallback callback = std::move(callback_);
    // Kept until the end, since the handshake itself may have called this.
    const std::unique_ptr<TlsHandshake> handshake = std::move(handshake_);
    cancel();
    if (!callback) return;
    if (result) return callback(std::move(result));
    Status status = std::move(result).status();
    status.set_origin(StatusOrigin::transport).set_may_have_run(false);
    callback(std::move(status));
  }

  void timed_out() {
    finish(Status(StatusCode::unavailable, tried_ + ": not connected within connect_timeout " +
                                               std::to_string(options_.connect_timeout.count()) + " ms"));
  }

  Loop& loop_;
  const Endpoint endpoint_;
  const DialOptions options_;
  DialCallback callback_;
  const std::string tried_;
  std::string attempt_;
  base::TimePoint deadline_{};
  bool is_resolved_ = false;
  std::optional<asio::ip::tcp::resolver> resolver_;
  std::vector<SocketAddress> addresses_;
  std::size_t next_address_ = 0;
  Status last_error_;
  std::shared_ptr<const TlsContext> tls_context_;
  SocketWatcher::Pointer watcher_;
  std::unique_ptr<TlsHandshake> handshake_;
  Result<std::unique_ptr<Transport>> result_;
  base::Timer timeout_{[](base::Timer&, void* self, base::TimePoint) { static_cast<StreamDial*>(self)->timed_out(); },
                       this};
  base::Timer attempt_timeout_{
      [](base::Timer&, void* self, base::TimePoint) { static_cast<StreamDial*>(self)->attempt_timed_out(); }, this};
  DeferredTask finish_{[](void* self) {
                         auto& dial = *static_cast<StreamDial*>(self);
                         dial.finish(std::move(dial.result_));
                       },
                       this};
};

}  // namespace

std::shared_ptr<Dial> dial(Loop& loop, const Endpoint& endpoint, const DialOptions& options, DialCallback callback) {
  auto result = std::make_shared<StreamDial>(loop, endpoint, options, std::move(callback));
  result->start();
  return result;
}

}  // namespace trunkline::net
