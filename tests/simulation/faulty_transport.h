// SPDX-License-Identifier: MIT
// FaultyTransport: a transport that delivers late, in random parts, and may break.
#pragma once

#include "base/timer_wheel.h"
#include "net/loop.h"
#include "net/transport.h"
#include "simulation/random.h"

#include <cstdint>
#include <memory>

namespace trunkline::simulation {

struct TransportFaults {
  std::uint64_t seed = 0;
  /// The most bytes that one read or write moves is drawn from 1 to this.
  std::size_t largest_step = 1 << 20;
  /// From being readable to the notification.
  base::Duration delay{};
  /// In bytes read and written together.
  std::uint64_t break_after = UINT64_MAX;
};

class FaultyTransport final : public net::Transport, private net::TransportObserver {
 public:
  FaultyTransport(std::unique_ptr<net::Transport> inner, const TransportFaults& faults);

  void set_observer(net::TransportObserver* observer) noexcept override { observer_ = observer; }
  net::IoResult read(std::span<const MutableByteSpan> into) override;
  net::IoResult write(std::span<const ByteSpan> from) override;
  void wait_readable() override;
  void wait_writable() override;
  void shutdown_send() override { inner_->shutdown_send(); }
  void close() override;
  void reset() override {
    closed_ = true;
    late_.cancel();
    inner_->reset();
  }
  const net::PeerInfo& peer() const noexcept override { return inner_->peer(); }
  net::Loop& loop() const noexcept override { return inner_->loop(); }

 private:
  void on_readable() override;
  void on_writable() override { observer_->on_writable(); }
  void count(std::size_t bytes);

  std::unique_ptr<net::Transport> inner_;
  TransportFaults faults_;
  Random random_;
  net::TransportObserver* observer_ = nullptr;
  base::Timer late_;
  std::uint64_t moved_ = 0;
  bool broken_ = false;
  bool closed_ = false;
};

}  // namespace trunkline::simulation
