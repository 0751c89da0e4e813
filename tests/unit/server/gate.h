// SPDX-License-Identifier: MIT
// Gate: holds coroutine handlers until the test opens it.
#pragma once

#include "net/loop.h"

#include <asio/awaitable.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <memory>

namespace trunkline::server {

/// May be destroyed while handlers wait; they end as if they were cancelled.
class Gate {
 public:
  explicit Gate(net::Loop& loop) : state_(std::make_shared<State>(loop)) {}
  ~Gate() { state_->timer.cancel(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Throws std::system_error when the call is cancelled.
  asio::awaitable<void> pass() { return wait(state_); }
  void open() {
    state_->open = true;
    state_->timer.cancel();
  }
  int waiting() const noexcept { return state_->waiting; }

 private:
  struct State {
    explicit State(net::Loop& loop) : timer(loop.context(), asio::steady_timer::time_point::max()) {}
    asio::steady_timer timer;
    bool open = false;
    int waiting = 0;
  };
  static asio::awaitable<void> wait(std::shared_ptr<State> state) {
    if (state->open) co_return;
    ++state->waiting;
    std::error_code error;
    co_await state->timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    --state->waiting;
    if (!state->open) throw std::system_error(error);
  }

  std::shared_ptr<State> state_;
};

}  // namespace trunkline::server
