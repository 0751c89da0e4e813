// SPDX-License-Identifier: MIT
// FirstBytes: reads from a new connection until it is clear which protocol its client speaks.
#pragma once

#include "net/loop.h"
#include "net/transport.h"
#include "wire/detector.h"

#include <array>
#include <chrono>
#include <functional>
#include <memory>

namespace trunkline::net {

/// What a connection begins with. `bytes` are those read so far; they are the protocol's first and are valid during the
/// callback.
struct Beginning {
  std::unique_ptr<Transport> transport;
  wire::Protocol protocol = wire::Protocol::unknown;
  ByteSpan bytes;
};

/// Resident of the transport's loop until it has called back.
class FirstBytes final : public Resident, private TransportObserver {
 public:
  /// Error: unavailable; the client left, or did not say enough within the timeout. The transport is closed then.
  using Callback = std::function<void(Result<Beginning>)>;

  /// `callback` is called once, on the loop, never from inside this. The timeout counts from `since`.
  static void read(std::unique_ptr<Transport> transport, std::chrono::milliseconds timeout, base::TimePoint since,
                   Callback callback);
  ~FirstBytes() override;

 private:
  FirstBytes(std::unique_ptr<Transport> transport, std::chrono::milliseconds timeout, base::TimePoint since,
             Callback callback);

  void on_readable() override;
  void on_writable() override {}
  void timed_out();
  void finish(Result<Beginning> result);

  std::unique_ptr<Transport> transport_;
  Callback callback_;
  std::array<std::byte, wire::detection_bytes> bytes_{};
  std::size_t size_ = 0;
  base::Timer timeout_;
  const std::chrono::milliseconds limit_;
};

}  // namespace trunkline::net
