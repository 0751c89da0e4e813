// SPDX-License-Identifier: MIT
// ShutdownNotifier: notifies each subscriber on the loop of its stream, where operations can be cancelled.
#include "service/shutdown_notifier.h"

#include <asio/cancellation_type.hpp>
#include <asio/post.hpp>

namespace trunkline::service {

/// A subscriber, which outlives its subscription while a notification is posted.
struct ShutdownNotifier::Subscriber : std::enable_shared_from_this<Subscriber> {
  explicit Subscriber(const asio::any_io_executor& given) : loop(given), event(std::make_shared<AsyncEvent>(given)) {}

  void post_notification() {
    asio::post(loop, [self = shared_from_this()] {
      self->is_shut_down = true;
      self->operation.emit(asio::cancellation_type::terminal);
    });
    event->set();
  }

  const asio::any_io_executor loop;
  const std::shared_ptr<AsyncEvent> event;
  /// The members below are for the loop's thread.
  asio::cancellation_signal operation;
  bool is_shut_down = false;
};

ShutdownNotifier::Subscription::Subscription(ShutdownNotifier& notifier, const asio::any_io_executor& loop)
    : notifier_(notifier), subscriber_(std::make_shared<Subscriber>(loop)) {
  std::lock_guard lock(notifier_.mutex_);
  notifier_.subscribers_.insert(subscriber_);
  subscriber_->is_shut_down = notifier_.is_shut_down_;
}

ShutdownNotifier::Subscription::~Subscription() {
  // A notification that is still posted must find no operation to cancel.
  subscriber_->operation.slot().clear();
  std::lock_guard lock(notifier_.mutex_);
  notifier_.subscribers_.erase(subscriber_);
}

bool ShutdownNotifier::Subscription::is_shut_down() const noexcept { return subscriber_->is_shut_down; }

AsyncEvent& ShutdownNotifier::Subscription::event() noexcept { return *subscriber_->event; }

asio::cancellation_slot ShutdownNotifier::Subscription::slot() {
  // The operation has not begun: it is cancelled after it has had the chance to succeed at once.
  if (subscriber_->is_shut_down) subscriber_->post_notification();
  return subscriber_->operation.slot();
}

void ShutdownNotifier::notify() {
  std::lock_guard lock(mutex_);
  is_shut_down_ = true;
  for (const std::shared_ptr<Subscriber>& subscriber : subscribers_) subscriber->post_notification();
}

}  // namespace trunkline::service
