// SPDX-License-Identifier: MIT
// Listener: listeners on sockets and on inproc:// names.
#include "net/listener.h"

#include "net/acceptor.h"
#include "net/fork_safe_sockets.h"
#include "net/inproc_directory.h"
#include "net/listening_socket.h"
#include "net/loop_owned.h"
#include "net/socket_options.h"
#include "net/socket_watcher.h"
#include "net/system_error.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

namespace trunkline::net {

namespace {

constexpr int accepts_per_turn = 64;
/// The number of accepts when the listener retires. More connections may arrive while the queue is emptied.
constexpr int accepts_at_end = 4096;
constexpr std::chrono::milliseconds pause_when_exhausted{100};

/// The state that the points which accept from one socket share.
struct AcceptState {
  explicit AcceptState(std::shared_ptr<Acceptor> shared) : acceptor(std::move(shared)) {}

  const std::shared_ptr<Acceptor> acceptor;
  /// True once the socket is about to be shut down: the points of other loops accept no more.
  std::atomic<bool> is_retired{false};
  /// The number of points that are accepting right now.
  std::atomic<int> accepting{0};

  /// Begins to accept. Returns false if the listener has retired.
  bool enter() noexcept {
    accepting.fetch_add(1);
    if (!is_retired.load()) return true;
    leave();
    return false;
  }
  void leave() noexcept { accepting.fetch_sub(1); }
  /// Waits until all connections that other loops have accepted are on their way to their loops. They hold the count
  /// for a moment only, unless the user's log function takes long.
  void retire() noexcept {
    is_retired.store(true);
    for (int tries = 0; accepting.load() > 0 && tries < 100000; ++tries) std::this_thread::yield();
  }
};

bool is_resource_error(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

int accept_from(int socket) {
  return ForkSafeSockets::make([socket] { return ::accept4(socket, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); });
}

/// Accepts on a further loop, from a copy of the listener's socket. The loop owns it until the listener has gone.
class AcceptPoint final : public LoopOwned, private TransportObserver {
 public:
  /// Starts on the thread of `loop`.
  static void start(Loop& loop, UniqueSocket socket, std::shared_ptr<AcceptState> state) {
    if (state->is_retired.load() || state->acceptor->is_closed()) return;
    auto watcher = SocketWatcher::make(loop, socket);
    // The other loops accept for this one.
    if (!watcher) return state->acceptor->report(watcher.status());
    loop.adopt(std::unique_ptr<AcceptPoint>(new AcceptPoint(loop, std::move(*watcher), std::move(state))));
  }

 private:
  AcceptPoint(Loop& loop, SocketWatcher::Pointer watcher, std::shared_ptr<AcceptState> state)
      : loop_(loop),
        watcher_(std::move(watcher)),
        state_(std::move(state)),
        pause_([](base::Timer&, void* self,
                  base::TimePoint) { static_cast<AcceptPoint*>(self)->watcher_->wait_readable(); },
               this) {
    watcher_->set_observer(this);
    watcher_->wait_readable();
  }

  void on_readable() override {
    const std::shared_ptr<AcceptState> state = state_;
    if (!state->enter()) return end();
    bool is_exhausted = false;
    for (int count = 0; count < accepts_per_turn && !state->acceptor->is_closed(); ++count) {
      UniqueSocket socket(accept_from(watcher_->socket()));
      if (socket.get() >= 0) {
        state->acceptor->accept(loop_, std::move(socket));
        continue;
      }
      is_exhausted = is_resource_error(errno);
      if (is_exhausted || errno == EAGAIN || errno == EWOULDBLOCK || errno == EINVAL) break;
    }
    state->leave();
    if (state->is_retired.load() || state->acceptor->is_closed()) return end();
    if (!is_exhausted) return watcher_->wait_readable();
    loop_.timers().schedule(pause_, loop_.now() + pause_when_exhausted);
  }
  void on_writable() override {}
  void end() { const std::unique_ptr<LoopOwned> self = loop_.release(*this); }

  Loop& loop_;
  SocketWatcher::Pointer watcher_;
  const std::shared_ptr<AcceptState> state_;
  base::Timer pause_;
};

class SocketListener final : public Listener, private TransportObserver {
 public:
  SocketListener(Loop& loop, ListeningSocket socket, SocketWatcher::Pointer watcher, std::shared_ptr<Acceptor> acceptor)
      : loop_(loop),
        socket_(std::move(socket)),
        watcher_(std::move(watcher)),
        acceptor_(std::move(acceptor)),
        state_(std::make_shared<AcceptState>(acceptor_)),
        pause_([](base::Timer&, void* self,
                  base::TimePoint) { static_cast<SocketListener*>(self)->watcher_->wait_readable(); },
               this) {
    watcher_->set_observer(this);
    watcher_->wait_readable();
  }
  ~SocketListener() override { close(); }

  /// Has `loop` accept as well.
  void share_with(Loop& loop) {
    const int copy = ForkSafeSockets::make([this] { return ::fcntl(watcher_->socket(), F_DUPFD_CLOEXEC, 0); });
    if (copy < 0) return;
    loop.post([&loop, socket = std::make_shared<UniqueSocket>(copy), state = state_] {
      AcceptPoint::start(loop, std::move(*socket), state);
    });
  }

  const Endpoint& endpoint() const noexcept override { return socket_.endpoint(); }
  void retire() override {
    if (!watcher_->is_open()) return;
    state_->retire();
    for (int count = 0; count < accepts_at_end; ++count) {
      UniqueSocket socket(accept_from(watcher_->socket()));
      if (socket.get() >= 0) {
        acceptor_->accept(loop_, std::move(socket));
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
  void stop_accepting() {
    pause_.cancel();
    state_->is_retired.store(true);
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
    Loop& loop = loop_;
    const std::weak_ptr<SocketListener*> alive = alive_;
    for (int count = 0; count < accepts_per_turn; ++count) {
      UniqueSocket socket(accept_from(watcher_->socket()));
      if (socket.get() >= 0) {
        acceptor->accept(loop, std::move(socket));
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

  Loop& loop_;
  ListeningSocket socket_;
  SocketWatcher::Pointer watcher_;
  std::shared_ptr<Acceptor> acceptor_;
  const std::shared_ptr<AcceptState> state_;
  base::Timer pause_;
  std::shared_ptr<SocketListener*> alive_ = std::make_shared<SocketListener*>(this);
};

class InprocListener final : public Listener {
 public:
  InprocListener(Endpoint endpoint, std::shared_ptr<Acceptor> acceptor)
      : endpoint_(std::move(endpoint)),
        acceptor_(std::move(acceptor)),
        accept_(std::make_shared<InprocDirectory::Accept>(
            [to = acceptor_](Loop& here, MemoryEnd end) { to->accept(here, std::move(end)); })) {}
  ~InprocListener() override { close(); }

  Status join_directory(std::vector<Loop*> loops) {
    Status status = InprocDirectory::of_process().add(endpoint_.path(), std::move(loops), accept_);
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
  auto acceptor = std::make_shared<Acceptor>(endpoint.scheme(), options, std::move(callbacks));
  if (endpoint.scheme() == Scheme::inproc) {
    auto listener = std::make_unique<InprocListener>(endpoint, std::move(acceptor));
    std::vector<Loop*> loops{&loop};
    loops.insert(loops.end(), options.further_loops.begin(), options.further_loops.end());
    if (Status status = listener->join_directory(std::move(loops)); !status.is_ok()) return status;
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
  auto listener = std::make_unique<SocketListener>(loop, std::move(*socket), std::move(*watcher), std::move(acceptor));
  for (Loop* const further : options.further_loops) listener->share_with(*further);
  return std::unique_ptr<Listener>(std::move(listener));
}

}  // namespace trunkline::net
