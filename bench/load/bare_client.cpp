// SPDX-License-Identifier: MIT
// bare_socket client: keeps a window of frames in flight on each connection and refills it once per batch read. A
// window of one blocks.
#include "bare_connection.h"
#include "bare_modes.h"
#include "load_report.h"
#include "net/socket_address.h"
#include "net/socket_options.h"
#include "net/unique_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::bench {
namespace {

using Clock = LoadReport::Clock;

/// One connection, and when its frames in flight were sent, oldest first.
struct Lane {
  struct Batch {
    Clock::time_point sent;
    std::uint64_t count;
  };

  std::unique_ptr<BareConnection> connection;
  std::uint64_t window = 0;
  std::deque<Batch> batches;
};

class BareClient {
 public:
  explicit BareClient(const LoadOptions& options) : options_(options), epoll_(epoll_create1(EPOLL_CLOEXEC)) {}
  ~BareClient() { close(epoll_); }
  BareClient(const BareClient&) = delete;
  BareClient& operator=(const BareClient&) = delete;

  Status connect_all(const Endpoint& endpoint, const TransportOptions& transport);
  /// False if a connection ended.
  bool run(LoadReport& report);

 private:
  bool send_batch(Lane& lane, Clock::time_point now, std::uint64_t count);
  bool turn(Lane& lane, LoadReport& report);
  void watch(int operation, Lane& lane, std::uint32_t events);
  /// With one frame in flight in all, recv() itself waits, without epoll.
  bool blocks() const noexcept { return options_.outstanding == 1 && !options_.busy_poll; }

  LoadOptions options_;
  int epoll_;
  std::vector<Lane> lanes_;
};

Result<int> connect_socket(const net::SocketAddress& address, const TransportOptions& transport) {
  auto made = net::make_socket(address.family(), transport, "connect");
  if (!made) return made;
  net::UniqueSocket socket(*made);
  pollfd writable{socket.get(), POLLOUT, 0};
  int error = 0;
  socklen_t size = sizeof(error);
  if (connect(socket.get(), address.data(), address.size()) != 0 && errno != EINPROGRESS) error = errno;
  if (error == 0 && poll(&writable, 1, 5000) != 1) error = ETIMEDOUT;
  if (error == 0) getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return Status(StatusCode::unavailable, std::string("connect: ") + std::strerror(error));
  if (auto status = net::set_connected_options(socket.get(), address.family(), transport, "connect"); !status)
    return status;
  return socket.release();
}

Status BareClient::connect_all(const Endpoint& endpoint, const TransportOptions& transport) {
  const bool is_unix = endpoint.scheme() == Scheme::unix_socket;
  const auto address = is_unix ? net::SocketAddress::of_unix(endpoint) : net::SocketAddress::of_numeric(endpoint);
  if (!address) return {StatusCode::invalid_argument, "connect: host " + endpoint.host() + " is not a numeric address"};
  lanes_.resize(static_cast<std::size_t>(options_.connections));
  auto left = static_cast<std::uint64_t>(options_.outstanding);
  for (std::size_t index = 0; index < lanes_.size(); ++index) {
    auto made = connect_socket(*address, transport);
    if (!made) return made.status();
    Lane& lane = lanes_[index];
    lane.connection = std::make_unique<BareConnection>(*made, options_.bytes);
    lane.window = left / (lanes_.size() - index);
    left -= lane.window;
    watch(EPOLL_CTL_ADD, lane, EPOLLIN);
  }
  return {};
}

void BareClient::watch(int operation, Lane& lane, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &lane;
  epoll_ctl(epoll_, operation, lane.connection->socket(), &event);
}

bool BareClient::send_batch(Lane& lane, Clock::time_point now, std::uint64_t count) {
  const bool waited = lane.connection->has_unwritten();
  if (count > 0) lane.batches.push_back({now, count});
  if (!lane.connection->write_frames(count)) return false;
  if (lane.connection->has_unwritten() != waited) watch(EPOLL_CTL_MOD, lane, waited ? EPOLLIN : EPOLLIN | EPOLLOUT);
  return true;
}

bool BareClient::turn(Lane& lane, LoadReport& report) {
  const long frames = lane.connection->read_frames();
  if (frames < 0) return false;
  if (frames == 0) return !lane.connection->has_unwritten() || send_batch(lane, {}, 0);
  const auto now = Clock::now();
  for (auto left = static_cast<std::uint64_t>(frames); left > 0;) {
    if (lane.batches.empty()) return false;
    auto& oldest = lane.batches.front();
    const auto taken = std::min(left, oldest.count);
    report.record(oldest.sent, now, taken);
    left -= taken;
    oldest.count -= taken;
    if (oldest.count == 0) lane.batches.pop_front();
  }
  return send_batch(lane, now, static_cast<std::uint64_t>(frames));
}

bool BareClient::run(LoadReport& report) {
  const auto start = Clock::now();
  for (auto& lane : lanes_) {
    if (!send_batch(lane, start, lane.window)) return false;
  }
  if (blocks()) {
    const int socket = lanes_[0].connection->socket();
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK);
  }
  std::array<epoll_event, 64> events;
  while (report.is_running(Clock::now())) {
    if (blocks()) {
      if (!turn(lanes_[0], report)) return false;
      continue;
    }
    if (options_.busy_poll) {
      for (int round = 0; round < 100; ++round) {
        for (auto& lane : lanes_) {
          if (!turn(lane, report)) return false;
        }
      }
      continue;
    }
    const int ready = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 1000);
    for (int index = 0; index < ready; ++index) {
      if (!turn(*static_cast<Lane*>(events[static_cast<std::size_t>(index)].data.ptr), report)) return false;
    }
  }
  return true;
}

}  // namespace

int run_bare_client(const LoadOptions& options, const Endpoint& endpoint, const TransportOptions& transport) {
  BareClient client(options);
  if (auto status = client.connect_all(endpoint, transport); !status) {
    return std::fprintf(stderr, "bare_socket: %s\n", status.to_string().c_str()), 1;
  }
  LoadReport report(options.warmup, options.seconds);
  if (!client.run(report)) {
    return std::fputs("bare_socket: a connection ended, or a frame came that none had asked for\n", stderr), 1;
  }
  report.print();
  return 0;
}

}  // namespace trunkline::bench
