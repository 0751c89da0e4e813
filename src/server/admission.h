// SPDX-License-Identifier: MIT
// Admission: decides how many calls of a server, a peer, a connection and a method may run at once.
#pragma once

#include "server/call_priorities.h"
#include "server/load_shedding.h"
#include "server/peer_limits.h"
#include "server/registered_method.h"

#include <trunkline/status.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace trunkline::server {

/// The calls of one connection, as the limits count them. Only the loop's thread uses it.
struct ConnectionCalls {
  /// Admitted calls whose handlers have not ended, whether or not anybody waits for their responses.
  std::size_t running = 0;
  /// The share of the peer's address. Null: the address is not limited.
  std::shared_ptr<PeerShare> peer;
};

/// The properties of a call on which its admission depends, beside the counts.
struct CallTraits {
  /// The level of importance, as CallPriorities gives it.
  unsigned level = 0;
  /// True if the adaptive limit counts the call.
  bool is_adaptive = false;
  base::TimePoint now{};
};

/// The permission of one call to run: the call counts against the limits until the permit is destroyed, on its loop's
/// thread. The method, the connection's calls and the Admission must outlive it. Empty: the call was refused.
class CallPermit {
 public:
  CallPermit() noexcept = default;
  CallPermit(CallPermit&& other) noexcept
      : method_(std::exchange(other.method_, nullptr)),
        total_(std::exchange(other.total_, nullptr)),
        connection_(std::exchange(other.connection_, nullptr)),
        shedding_(std::exchange(other.shedding_, nullptr)),
        in_flight_(other.in_flight_),
        began_(other.began_) {}
  CallPermit& operator=(CallPermit&& other) noexcept {
    CallPermit old(std::move(*this));
    method_ = std::exchange(other.method_, nullptr);
    total_ = std::exchange(other.total_, nullptr);
    connection_ = std::exchange(other.connection_, nullptr);
    shedding_ = std::exchange(other.shedding_, nullptr);
    in_flight_ = other.in_flight_;
    began_ = other.began_;
    return *this;
  }
  ~CallPermit() {
    if (shedding_ != nullptr) shedding_->leave();
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
  /// Returns true if the adaptive limit learns from how long the call took.
  bool is_measured() const noexcept { return shedding_ != nullptr; }
  /// Reports that the call's handler has run, and ended at `now`. May be called only if is_measured().
  void measure(base::TimePoint now) { shedding_->add_latency(now, now - began_, in_flight_); }

 private:
  friend class Admission;
  explicit CallPermit(RegisteredMethod& method) noexcept : method_(&method) {}
  CallPermit(RegisteredMethod& method, std::atomic<std::size_t>& total, ConnectionCalls& connection) noexcept
      : method_(&method), total_(&total), connection_(&connection) {}

  RegisteredMethod* method_ = nullptr;
  /// The count of the server; null if the call is only in its method's count.
  std::atomic<std::size_t>* total_ = nullptr;
  ConnectionCalls* connection_ = nullptr;
  /// The adaptive limit. Null: it does not count the call.
  LoadShedding* shedding_ = nullptr;
  std::size_t in_flight_ = 0;
  base::TimePoint began_{};
};

/// Checks every limit on the number of running calls. It is thread-safe, except that a connection's calls belong to its
/// loop. The limits count handlers that run or wait for a worker; a cancelled call counts until its handler has ended.
/// What a connection has open beyond that, such as unfinished requests, its session limits.
class Admission {
 public:
  struct Limits {
    std::size_t total = SIZE_MAX;
    std::size_t per_peer = SIZE_MAX;
    std::size_t per_connection = SIZE_MAX;
  };

  explicit Admission(const Limits& limits, const OverloadOptions& overload = {});
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  /// Admits a call that ends before its loop does anything else. The counts are compared but only that of the method is
  /// raised, which saves the atomic operations.
  CallPermit admit_plain(RegisteredMethod& method, const ConnectionCalls& connection, unsigned level = 0) noexcept {
    if (is_full(connection) || !has_room_for(connection, level) || !enter_method(method)) return {};
    return CallPermit(method);
  }
  CallPermit admit(RegisteredMethod& method, ConnectionCalls& connection, const CallTraits& traits = {}) noexcept;
  /// Returns true if as many calls of the connection run as may. Its client knows the limit, but not which of the calls
  /// that it has cancelled still run. A further call therefore waits, and is not refused.
  bool is_full(const ConnectionCalls& connection) const noexcept {
    return connection.running >= limits_.per_connection;
  }
  /// Returns true if the next call of `method` would be admitted, unless the connection is full.
  bool has_room_for(const RegisteredMethod& method, const ConnectionCalls& connection,
                    const CallTraits& traits) const noexcept {
    const std::size_t limit = method.options.max_concurrent_calls;
    return has_room_for(connection, traits.level) &&
           (limit == 0 || method.open_calls.load(std::memory_order_relaxed) < limit) &&
           (!is_limited(traits) || shedding_.running() < adaptive_limit(traits));
  }

  /// Says why a call of `method` was refused just now, although the connection is not full: resource_exhausted, with
  /// the limit; or the status that LoadShedding::shed() returns.
  Status refusal(const RegisteredMethod& method, const ConnectionCalls& connection, const CallTraits& traits = {});

  const CallPriorities& priorities() const noexcept { return priorities_; }
  LoadShedding& shedding() noexcept { return shedding_; }
  const LoadShedding& shedding() const noexcept { return shedding_; }

 private:
  bool is_limited(const CallTraits& traits) const noexcept { return traits.is_adaptive && shedding_.has_limit(); }
  std::size_t adaptive_limit(const CallTraits& traits) const noexcept {
    return priorities_.share_of(shedding_.limit(), traits.level);
  }
  bool has_room_for(const ConnectionCalls& connection, unsigned level) const noexcept {
    return total_.load(std::memory_order_relaxed) < totals_[level] &&
           (connection.peer == nullptr || connection.peer->calls.load(std::memory_order_relaxed) < limits_.per_peer);
  }
  static bool enter_method(RegisteredMethod& method) noexcept {
    const std::size_t limit = method.options.max_concurrent_calls;
    return limit == 0 || enter(method.open_calls, limit);
  }
  static bool enter(std::atomic<std::size_t>& count, std::size_t limit) noexcept {
    if (count.fetch_add(1, std::memory_order_relaxed) < limit) return true;
    count.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }

  const Limits limits_;
  const CallPriorities priorities_;
  /// The value of Limits::total for each level.
  std::array<std::size_t, 8> totals_{};
  std::atomic<std::size_t> total_{0};
  LoadShedding shedding_;
};

}  // namespace trunkline::server
