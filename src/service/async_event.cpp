// SPDX-License-Identifier: MIT
// AsyncEvent: an event made of a timer: to set the event is to cancel the timer on its own loop.
#include "service/async_event.h"

#include <asio/error.hpp>
#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include <system_error>
#include <utility>

namespace trunkline::service {

void AsyncEvent::set() {
  if (is_posted_.exchange(true, std::memory_order_acq_rel)) return;
  asio::post(timer_.get_executor(), [self = shared_from_this()] {
    self->is_posted_.store(false, std::memory_order_release);
    self->is_set_ = true;
    self->timer_.cancel();
  });
}

asio::awaitable<void> AsyncEvent::wait(TimePoint until) {
  const std::shared_ptr<AsyncEvent> keep = shared_from_this();
  if (!std::exchange(is_set_, false)) {
    timer_.expires_at(until);
    std::error_code error;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, error));
    is_set_ = false;
  }
  const asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
  if (state.cancelled() != asio::cancellation_type::none) throw std::system_error(asio::error::operation_aborted);
}

}  // namespace trunkline::service
