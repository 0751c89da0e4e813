// SPDX-License-Identifier: MIT
// Listening sockets and inproc:// names.
#include "net/listener.h"

#include "net/acceptance.h"
#include "net/inproc_directory.h"
#include "net/listening_socket.h"
#include "net/open_sockets.h"
#include "net/readiness.h"
#include "net/socket_options.h"
#include "net/system_error.h"

#include <sys/socket.h>

#include <cerrno>

namespace trunkline::net {

namespace {

constexpr int accepts_per_turn = 64;
constexpr int accepts_at_end = 4096;  // of a queue that fills as it is emptied
constexpr std::chrono::milliseconds pause_when_exhausted{100};

class SocketListener final : public Listener, private TransportObserver {
 public:
  SocketListener(Loop& loop, ListeningSocket socket, Readiness::Pointer readiness,
                 std::shared_ptr<Acceptance> acceptance)
      : loop_(loop),
        socket_(std::move(socket)),
        readiness_(std::move(readiness)),
        acceptance_(std::move(acceptance)),
        pause_([](base::Timer&, void* self,
                  base::TimePoint) { static_cast<SocketListener*>(self)->readiness_->wait_readable(); },
               this) {
    readiness_->set_observer(this);
    readiness_->wait_readable();
  }
  ~SocketListener() override { close(); }

  const Endpoint& endpoint() const noexcept override { return socket_.endpoint(); }
  void retire() override {
    if (!readiness_->is_open()) return;
    for (int count = 0; count < accepts_at_end; ++count) {
      UniqueSocket socket(accept_one());
      if (socket.get() >= 0) {
        acceptance_->accept(std::move(socket));
      } else if (errno == EAGAIN || errno == EWOULDBLOCK || is_resource_error(errno)) {
        break;
      }
      // Any other error is of the one connection, which has gone again.
    }
    leave();
  }
  void close() override {
    acceptance_->close();
    leave();
  }
  Status reload_tls() override { return acceptance_->load_tls(); }

 private:
  int accept_one() {
    return OpenSockets::make(
        [this] { return ::accept4(readiness_->socket(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); });
  }
  void leave() {
    pause_.cancel();
    // While the socket is open its file's number cannot be another file's.
    socket_.unlink_file();
    // A child forked meanwhile has a copy, which would keep the address, and take connections that nobody accepts.
    if (readiness_->is_open()) socket_.shut_down(readiness_->socket());
    readiness_->close();
  }
  void on_readable() override {
    // The callbacks may close the listener, or destroy it.
    const std::shared_ptr<Acceptance> acceptance = acceptance_;
    const std::weak_ptr<SocketListener*> alive = alive_;
    for (int count = 0; count < accepts_per_turn; ++count) {
      UniqueSocket socket(accept_one());
      if (socket.get() >= 0) {
        acceptance->accept(std::move(socket));
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        break;
      } else if (is_resource_error(errno)) {
        loop_.timers().schedule(pause_, loop_.now() + pause_when_exhausted);
        return acceptance->report(system_status("accept on " + endpoint().to_string(), errno));
      }
      // Any other error is of the one connection, which has gone again.
      if (alive.expired() || !readiness_->is_open()) return;
    }
    readiness_->wait_readable();
  }
  void on_writable() override {}

  static bool is_resource_error(int error) {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
  }

  Loop& loop_;
  ListeningSocket socket_;
  Readiness::Pointer readiness_;
  std::shared_ptr<Acceptance> acceptance_;
  base::Timer pause_;
  std::shared_ptr<SocketListener*> alive_ = std::make_shared<SocketListener*>(this);
};

class InprocListener final : public Listener {
 public:
  InprocListener(Endpoint endpoint, std::shared_ptr<Acceptance> acceptance)
      : endpoint_(std::move(endpoint)),
        acceptance_(std::move(acceptance)),
        accept_(std::make_shared<InprocDirectory::Accept>(
            [to = acceptance_](MemoryEnd end) { to->accept(std::move(end)); })) {}
  ~InprocListener() override { close(); }

  Status enter(Loop& loop) {
    Status status = InprocDirectory::of_process().add(endpoint_.path(), loop, accept_);
    is_entered_ = status.is_ok();
    return status;
  }
  const Endpoint& endpoint() const noexcept override { return endpoint_; }
  void retire() override {
    if (std::exchange(is_entered_, false)) InprocDirectory::of_process().remove(endpoint_.path(), accept_);
  }
  void close() override {
    acceptance_->close();
    retire();
  }
  Status reload_tls() override { return acceptance_->load_tls(); }

 private:
  const Endpoint endpoint_;
  std::shared_ptr<Acceptance> acceptance_;
  std::shared_ptr<InprocDirectory::Accept> accept_;
  bool is_entered_ = false;
};

}  // namespace

Result<std::unique_ptr<Listener>> Listener::open(Loop& loop, const Endpoint& endpoint, const ListenOptions& options,
                                                 ListenCallbacks callbacks) {
  if (Status status = check_options(options.transport); !status.is_ok()) return status;
  auto acceptance = std::make_shared<Acceptance>(loop, endpoint.scheme(), options, std::move(callbacks));
  if (endpoint.scheme() == Scheme::inproc) {
    auto listener = std::make_unique<InprocListener>(endpoint, std::move(acceptance));
    if (Status status = listener->enter(loop); !status.is_ok()) return status;
    return std::unique_ptr<Listener>(std::move(listener));
  }
  if (endpoint.scheme() == Scheme::tls) {
    if (Status status = acceptance->load_tls(); !status.is_ok()) return status;
  }
  auto socket = ListeningSocket::open(endpoint, options.transport);
  if (!socket) return std::move(socket).status();
  auto readiness = Readiness::make(loop, socket->socket());
  if (!readiness) {
    socket->unlink_file();
    return std::move(readiness).status();
  }
  return std::unique_ptr<Listener>(
      std::make_unique<SocketListener>(loop, std::move(*socket), std::move(*readiness), std::move(acceptance)));
}

}  // namespace trunkline::net
