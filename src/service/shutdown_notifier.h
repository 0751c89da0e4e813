// SPDX-License-Identifier: MIT
// ShutdownNotifier: ends the open streams of a built-in service when its server shuts down.
#pragma once

#include "service/async_event.h"

#include <trunkline/status.h>

#include <asio/any_io_executor.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/use_awaitable.hpp>

#include <memory>
#include <mutex>
#include <set>

namespace trunkline::service {

/// A notifier, which must outlive its subscriptions.
class ShutdownNotifier {
 private:
  struct Subscriber;

 public:
  /// One open stream, which is subscribed for its lifetime. Only the thread of its loop uses it.
  class Subscription {
   public:
    Subscription(ShutdownNotifier& notifier, const asio::any_io_executor& loop);
    ~Subscription();
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;

    /// Returns true if the server shuts down, so the stream must end.
    bool is_shut_down() const noexcept;
    /// Returns the event that is set when the shutdown begins; the stream may also set it for purposes of its own.
    AsyncEvent& event() noexcept;
    /// Returns a completion token for one read or write. The operation is cancelled when the shutdown begins, so that a
    /// peer that neither reads nor ends its side cannot delay it. An operation that begins after that still succeeds if
    /// it does not have to wait.
    auto token() { return asio::bind_cancellation_slot(slot(), asio::use_awaitable); }

   private:
    asio::cancellation_slot slot();

    ShutdownNotifier& notifier_;
    const std::shared_ptr<Subscriber> subscriber_;
  };

  /// Notifies all subscriptions, also those to come. Any thread may call it, while their loops exist.
  void notify();

 private:
  /// Guards the members below.
  std::mutex mutex_;
  std::set<std::shared_ptr<Subscriber>> subscribers_;
  bool is_shut_down_ = false;
};

}  // namespace trunkline::service
