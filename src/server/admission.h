// SPDX-License-Identifier: MIT
// Admission: how many calls of a server, a peer, a connection and a method may run at once.
#pragma once

#include "server/method.h"
#include "server/peer_limits.h"

#include <trunkline/status.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace trunkline::server {

/// The calls of one connection, as the limits count them. Loop's thread only.
struct ConnectionCalls {
  /// Admitted calls whose handlers have not ended, whether or not anybody waits for their responses.
  std::size_t running = 0;
  /// Null: the peer address is not limited.
  std::shared_ptr<PeerShare> peer;
};

/// The permission of one call to run: the call counts against the limits until the permit is destroyed, on its loop's
/// thread. The method, the connection's calls and the Admission must outlive it. Empty: the call was refused.
class CallPermit {
 public:
  CallPermit() noexcept = default;
  CallPermit(CallPermit&& other) noexcept
      : method_(std::exchange(other.method_, nullptr)),
        total_(std::exchange(other.total_, nullptr)),
        connection_(std::exchange(other.connection_, nullptr)) {}
  CallPermit& operator=(CallPermit&& other) noexcept {
    CallPermit old(std::move(*this));
    method_ = std::exchange(other.method_, nullptr);
    total_ = std::exchange(other.total_, nullptr);
    connection_ = std::exchange(other.connection_, nullptr);
    return *this;
  }
  ~CallPermit() {
    if (total_ != nullptr) {
      total_->fetch_sub(1, std::memory_order_relaxed);
      --connection_->running;
      if (connection_->peer != nullptr) connection_->peer->calls.fetch_sub(1, std::memory_order_relaxed);
    }
    if (method_ != nullptr && method_->options.max_concurrent_calls != 0) {
      method_->open_calls.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  explicit operator bool() const noexcept { return method_ != nullptr; }

 private:
  friend class Admission;
  explicit CallPermit(Method& method) noexcept : method_(&method) {}
  CallPermit(Method& method, std::atomic<std::size_t>& total, ConnectionCalls& connection) noexcept
      : method_(&method), total_(&total), connection_(&connection) {}

  Method* method_ = nullptr;
  /// The server's count; null if the call is only in its method's.
  std::atomic<std::size_t>* total_ = nullptr;
  ConnectionCalls* connection_ = nullptr;
};

/// Thread-safe, except that a connection's calls belong to its loop. Every limit on the number of running calls is
/// checked here. They count handlers that run or wait for a worker; a cancelled call counts until its handler has
/// ended. What a connection has open beyond that, such as unfinished requests, its session limits.
class Admission {
 public:
  struct Limits {
    std::size_t total = SIZE_MAX;
    std::size_t per_peer = SIZE_MAX;
    std::size_t per_connection = SIZE_MAX;
  };

  explicit Admission(const Limits& limits) noexcept : limits_(limits) {}
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  /// For a call that ends before its loop does anything else. The counts are compared but only that of the method is
  /// raised, which saves the atomic operations.
  CallPermit admit_plain(Method& method, const ConnectionCalls& connection) noexcept {
    if (!has_room_for(connection) || !enter_method(method)) return {};
    return CallPermit(method);
  }
  CallPermit admit(Method& method, ConnectionCalls& connection) noexcept;
  /// True if the next call of `method` would be admitted.
  bool has_room_for(const Method& method, const ConnectionCalls& connection) const noexcept {
    const std::size_t limit = method.options.max_concurrent_calls;
    return has_room_for(connection) && (limit == 0 || method.open_calls.load(std::memory_order_relaxed) < limit);
  }

  /// Why a call of `method` was refused just now: resource_exhausted, with the limit.
  Status refusal(const Method& method, const ConnectionCalls& connection) const;

 private:
  bool has_room_for(const ConnectionCalls& connection) const noexcept {
    return connection.running < limits_.per_connection && total_.load(std::memory_order_relaxed) < limits_.total &&
           (connection.peer == nullptr || connection.peer->calls.load(std::memory_order_relaxed) < limits_.per_peer);
  }
  static bool enter_method(Method& method) noexcept {
    const std::size_t limit = method.options.max_concurrent_calls;
    return limit == 0 || enter(method.open_calls, limit);
  }
  static bool enter(std::atomic<std::size_t>& count, std::size_t limit) noexcept {
    if (count.fetch_add(1, std::memory_order_relaxed) < limit) return true;
    count.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }

  const Limits limits_;
  std::atomic<std::size_t> total_{0};
};

}  // namespace trunkline::server
