// SPDX-License-Identifier: MIT
// ProtocolSniffer: reads from a new connection until its protocol is known.
#pragma once

#include "base/timer_wheel.h"
#include "net/deferred_task.h"
#include "net/loop_owned.h"
#include "net/pending_connections.h"
#include "net/transport.h"

#include <trunkline/result.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>

namespace trunkline::net {

/// The beginning of a connection. `bytes` are those that were read so far; the session has to receive them first. They
/// are valid during the callback.
struct SniffResult {
  std::unique_ptr<Transport> transport;
  ByteSpan bytes;
};

/// A sniffer, which the loop of the transport owns until it has called back.
class ProtocolSniffer final : public LoopOwned, private TransportObserver {
 public:
  /// The most bytes that are read.
  static constexpr std::size_t max_bytes = 64;

  /// Returns true once the protocol can be told from what is known of the peer, such as the result of ALPN, and from
  /// the first bytes, of which there may be none yet.
  using IsKnown = std::function<bool(const PeerInfo& peer, ByteSpan first_bytes)>;
  /// Takes the result. Error: unavailable if the peer has closed the connection, or did not send enough before the
  /// timeout. The transport is closed then.
  using Callback = std::function<void(Result<SniffResult>)>;

  /// Calls `callback` once, on the loop and not from inside this function, when `is_known` is true or max_bytes were
  /// read. The timeout counts from `since`. `pending`, which may be null, can end it before that.
  static void read(std::unique_ptr<Transport> transport, std::chrono::milliseconds timeout, base::TimePoint since,
                   std::shared_ptr<PendingConnections> pending, IsKnown is_known, Callback callback);
  ~ProtocolSniffer() override;

 private:
  ProtocolSniffer(std::unique_ptr<Transport> transport, std::chrono::milliseconds timeout,
                  std::shared_ptr<PendingConnections> pending, IsKnown is_known, Callback callback);

  void start(base::TimePoint since);
  void on_readable() override;
  void on_writable() override {}
  void succeed();
  void timed_out();
  void finish(Result<SniffResult> result);
  ByteSpan bytes() const noexcept { return ByteSpan(bytes_).first(size_); }

  std::unique_ptr<Transport> transport_;
  const IsKnown is_known_;
  const Callback callback_;
  std::array<std::byte, max_bytes> bytes_{};
  std::size_t size_ = 0;
  const std::chrono::milliseconds limit_;
  base::Timer timeout_;
  /// Runs the callback if the protocol is known before anything was read.
  DeferredTask known_;
  PendingConnections::Place place_;
};

}  // namespace trunkline::net
