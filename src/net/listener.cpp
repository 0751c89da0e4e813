// SPDX-License-Identifier: MIT
// Listeners on sockets and on inproc:// names.
#include "net/listener.h"

#include "net/acceptor.h"
#include "net/fork_safe_sockets.h"
#include "net/inproc_directory.h"
#include "net/listening_socket.h"
#include "net/socket_options.h"
#include "net/socket_watcher.h"
#include "net/system_error.h"

#include <sys/socket.h>

#include <cerrno>

namespace trunkline::net {

namespace {

constexpr int accepts_per_turn = 64;
/// When the listener retires. More connections may arrive while the queue is emptied.
constexpr int accepts_at_end = 4096;
constexpr std::chrono::milliseconds pause_when_exhausted{100};

class SocketListener final : public Listener, private TransportObserver {
 public:
  SocketListener(Loop& loop, ListeningSocket socket, SocketWatcher::Pointer watcher, std::shared_ptr<Acceptor> acceptor)
      : loop_(loop),
        socket_(std::move(socket)),
        watcher_(std::move(watcher)),
        acceptor_(std::move(acceptor)),
        pause_([](base::Timer&, void* self,
                  base::TimePoint) { static_cast<SocketListener*>(self)->watcher_->wait_readable(); },
               this) {
    watcher_->set_observer(this);
    watcher_->wait_readable();
  }
  ~SocketListener() override { close(); }

  const Endpoint& endpoint() const noexcept override { return socket_.endpoint(); }
  void retire() override {
    if (!watcher_->is_open()) return;
    for (int count = 0; count < accepts_at_end; ++count) {
      UniqueSocket socket(accept_one());
      if (socket.get() >= 0) {
        acceptor_->accept(std::move(socket));
      } else if (errno == EAGAIN || errno == EWOULDBLOCK || is_resource_error(errno)) {
        break;
      }
      // Any other error concerns only the one connection, which has ended already.
    }
    stop_accepting();
  }
  void close() override {
    acceptor_->close();
    stop_accepting();
  }
  Status reload_tls() override { return acceptor_->load_tls(); }

 private:
  int accept_one() {
    return ForkSafeSockets::make(
        [this] { return ::accept4(watcher_->socket(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); });
  }
  void stop_accepting() {
    pause_.cancel();
    // As long as the socket is open, no other file has the inode number of its file.
    socket_.unlink_file();
    // A forked child has a copy of the socket, which would keep the address and queue connections that are never
    // accepted.
    if (watcher_->is_open()) socket_.shut_down(watcher_->socket());
    watcher_->close();
  }
  void on_readable() override {
    // The callbacks may close or destroy the listener.
    const std::shared_ptr<Acceptor> acceptor = acceptor_;
    const std::weak_ptr<SocketListener*> alive = alive_;
    for (int count = 0; count < accepts_per_turn; ++count) {
      UniqueSocket socket(accept_one());
      if (socket.get() >= 0) {
        acceptor->accept(std::move(socket));
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        break;
      } else if (is_resource_error(errno)) {
        loop_.timers().schedule(pause_, loop_.now() + pause_when_exhausted);
        return acceptor->report(system_status("accept on " + endpoint().to_string(), errno));
      }
      // Any other error concerns only the one connection, which has ended already.
      if (alive.expired() || !watcher_->is_open()) return;
    }
    watcher_->wait_readable();
  }
  void on_writable() override {}

  static bool is_resource_error(int error) {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
  }

  Loop& loop_;
  ListeningSocket socket_;
  SocketWatcher::Pointer watcher_;
  std::shared_ptr<Acceptor> acceptor_;
  base::Timer pause_;
  std::shared_ptr<SocketListener*> alive_ = std::make_shared<SocketListener*>(this);
};

class InprocListener final : public Listener {
 public:
  InprocListener(Endpoint endpoint, std::shared_ptr<Acceptor> acceptor)
      : endpoint_(std::move(endpoint)),
        acceptor_(std::move(acceptor)),
        accept_(std::make_shared<InprocDirectory::Accept>(
            [to = acceptor_](MemoryEnd end) { to->accept(std::move(end)); })) {}
  ~InprocListener() override { close(); }

  Status join_directory(Loop& loop) {
    Status status = InprocDirectory::of_process().add(endpoint_.path(), loop, accept_);
    is_in_directory_ = status.is_ok();
    return status;
  }
  const Endpoint& endpoint() const noexcept override { return endpoint_; }
  void retire() override {
    if (std::exchange(is_in_directory_, false)) InprocDirectory::of_process().remove(endpoint_.path(), accept_);
  }
  void close() override {
    acceptor_->close();
    retire();
  }
  Status reload_tls() override { return acceptor_->load_tls(); }

 private:
  const Endpoint endpoint_;
  std::shared_ptr<Acceptor> acceptor_;
  std::shared_ptr<InprocDirectory::Accept> accept_;
  bool is_in_directory_ = false;
};

}  // namespace

Result<std::unique_ptr<Listener>> Listener::open(Loop& loop, const Endpoint& endpoint, const ListenOptions& options,
                                                 ListenCallbacks callbacks) {
  if (Status status = check_options(options.transport); !status.is_ok()) return status;
  auto acceptor = std::make_shared<Acceptor>(loop, endpoint.scheme(), options, std::move(callbacks));
  if (endpoint.scheme() == Scheme::inproc) {
    auto listener = std::make_unique<InprocListener>(endpoint, std::move(acceptor));
    if (Status status = listener->join_directory(loop); !status.is_ok()) return status;
    return std::unique_ptr<Listener>(std::move(listener));
  }
  if (endpoint.scheme() == Scheme::tls) {
    if (Status status = acceptor->load_tls(); !status.is_ok()) return status;
  }
  auto socket = ListeningSocket::open(endpoint, options.transport);
  if (!socket) return std::move(socket).status();
  auto watcher = SocketWatcher::make(loop, socket->socket());
  if (!watcher) {
    socket->unlink_file();
    return std::move(watcher).status();
  }
  return std::unique_ptr<Listener>(
      std::make_unique<SocketListener>(loop, std::move(*socket), std::move(*watcher), std::move(acceptor)));
}

}  // namespace trunkline::net
