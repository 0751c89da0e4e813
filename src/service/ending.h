// SPDX-License-Identifier: MIT
// Ending: tells the open streams of a built-in service that its server is going away.
#pragma once

#include "service/bell.h"

#include <trunkline/status.h>

#include <asio/any_io_executor.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/use_awaitable.hpp>

#include <memory>
#include <mutex>
#include <set>

namespace trunkline::service {

/// Outlives its streams.
class Ending {
 private:
  struct Told;

 public:
  /// One open stream. For its loop alone.
  class Stream {
   public:
    Stream(Ending& ending, const asio::any_io_executor& loop);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    bool is_over() const noexcept;
    /// Rung when it is over, too.
    Bell& bell() noexcept;
    /// A token for one read or write, which is given up when the stream is over: a peer that does not read, or ends
    /// its side, holds nothing up. One that begins when it is over still gets what can be had without waiting.
    auto token() { return asio::bind_cancellation_slot(slot(), asio::use_awaitable); }

   private:
    asio::cancellation_slot slot();

    Ending& ending_;
    const std::shared_ptr<Told> told_;
  };

  /// All streams are over, those to come as well. Any thread, while their loops exist.
  void begin();

 private:
  std::mutex mutex_;  // guards all below
  std::set<std::shared_ptr<Told>> streams_;
  bool has_begun_ = false;
};

}  // namespace trunkline::service
