// SPDX-License-Identifier: MIT
// A timer stands for the bell: it is cancelled on its own loop.
#include "service/bell.h"

#include <asio/error.hpp>
#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include <system_error>
#include <utility>

namespace trunkline::service {

void Bell::ring() {
  if (is_under_way_.exchange(true, std::memory_order_acq_rel)) return;
  asio::post(timer_.get_executor(), [self = shared_from_this()] {
    self->is_under_way_.store(false, std::memory_order_release);
    self->is_rung_ = true;
    self->timer_.cancel();
  });
}

asio::awaitable<void> Bell::wait(TimePoint until) {
  const std::shared_ptr<Bell> keep = shared_from_this();
  if (!std::exchange(is_rung_, false)) {
    timer_.expires_at(until);
    std::error_code error;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, error));
    is_rung_ = false;
  }
  const asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
  if (state.cancelled() != asio::cancellation_type::none) throw std::system_error(asio::error::operation_aborted);
}

}  // namespace trunkline::service
