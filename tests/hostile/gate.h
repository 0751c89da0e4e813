// SPDX-License-Identifier: MIT
// Gate: handlers wait for it until it is opened, whether they are cancelled or not.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/post.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace trunkline::hostile {

/// Thread-safe. It must be opened before the executors of the coroutines that wait are destroyed.
class Gate {
 public:
  /// Stays open.
  void open() {
    std::vector<std::function<void()>> waiting;
    {
      const std::lock_guard lock(mutex_);
      is_open_ = true;
      waiting.swap(waiting_);
    }
    opened_.notify_all();
    for (const auto& resume : waiting) resume();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return is_open_; });
  }
  asio::awaitable<void> async_wait() {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    co_await asio::async_initiate<const asio::use_awaitable_t<>&, void()>(
        [this, &executor](auto handler) {
          const auto held = std::make_shared<decltype(handler)>(std::move(handler));
          add([held, executor] { asio::post(executor, [held] { std::move (*held)(); }); });
        },
        asio::use_awaitable);
  }

 private:
  void add(std::function<void()> resume) {
    {
      const std::lock_guard lock(mutex_);
      if (!is_open_) {
        waiting_.push_back(std::move(resume));
        return;
      }
    }
    resume();
  }

  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
  std::vector<std::function<void()>> waiting_;
};

}  // namespace trunkline::hostile
