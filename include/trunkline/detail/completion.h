// SPDX-License-Identifier: MIT
// Completion: holds the completion handler of any Asio token and calls it on its executor.
#pragma once

#include <trunkline/detail/export.h>

#include <asio/any_io_executor.hpp>
#include <asio/associated_allocator.hpp>
#include <asio/associated_executor.hpp>
#include <asio/bind_allocator.hpp>
#include <asio/dispatch.hpp>
#include <asio/execution/blocking.hpp>
#include <asio/execution/context.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/query.hpp>
#include <asio/system_context.hpp>
#include <asio/system_executor.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace trunkline::detail {

/// Returns the context of the innermost EventLoop that this thread runs; null if it runs none.
TRUNKLINE_API const asio::execution_context* running_context() noexcept;

/// Returns true if the executor is that of the loop that this thread runs, so that work for it may be done in place.
/// asio::dispatch() would post the work instead: it runs in place only inside a handler of Asio, and the loop also runs
/// code outside of those.
template <class Executor>
bool is_of_running_loop(const Executor& executor) noexcept {
  using Bare = asio::io_context::executor_type;
  using Tracked = decltype(asio::prefer(std::declval<Bare>(), asio::execution::outstanding_work.tracked));
  if constexpr (std::is_same_v<Executor, Bare> || std::is_same_v<Executor, Tracked>) {
    const bool may_block = asio::query(executor, asio::execution::blocking) != asio::execution::blocking.never;
    return may_block && &executor.context() == running_context();
  } else if constexpr (std::is_same_v<Executor, asio::any_io_executor>) {
    if (const auto* const bare = executor.template target<Bare>()) return is_of_running_loop(*bare);
    if (const auto* const tracked = executor.template target<Tracked>()) return is_of_running_loop(*tracked);
    return false;
  } else {
    return false;
  }
}

/// Returns true inside a handler of the executor, where asio::dispatch() runs work in place.
template <class Executor>
bool is_in_handler_of(const Executor& executor) noexcept {
  if constexpr (std::is_same_v<Executor, asio::any_io_executor>) {
    using Bare = asio::io_context::executor_type;
    using Tracked = decltype(asio::prefer(std::declval<Bare>(), asio::execution::outstanding_work.tracked));
    if (const auto* const bare = executor.template target<Bare>()) return is_in_handler_of(*bare);
    if (const auto* const tracked = executor.template target<Tracked>()) return is_in_handler_of(*tracked);
    return false;
  } else if constexpr (requires { executor.running_in_this_thread(); }) {
    return executor.running_in_this_thread();
  } else {
    return false;
  }
}

/// Returns false for executors such as that of use_future: Asio starts threads for work that is posted to them.
template <class Executor>
constexpr bool has_own_context() noexcept {
  if constexpr (asio::can_query<const Executor&, asio::execution::context_t>::value) {
    using Context = decltype(asio::query(std::declval<const Executor&>(), asio::execution::context));
    return !std::is_same_v<std::remove_cvref_t<Context>, asio::system_context>;
  } else {
    return false;
  }
}

/// Holds a handler until its operation is complete. A handler without an executor of its own is called in place, on the
/// loop's thread. So is a handler whose executor is the loop's. Any other handler goes through asio::dispatch() with
/// its allocator, which calls it in place if its executor permits. Until then the executor is kept busy. Inside the
/// function that initiates the operation the handler is posted instead, if its executor has a context to post to.
template <class Handler>
class Completion {
  using Executor = typename asio::associated_executor<Handler>::type;
  static constexpr bool runs_in_place = std::is_same_v<Executor, asio::system_executor>;
  struct NoWork {
    explicit NoWork(const Executor&) noexcept {}
  };
  using Work = std::conditional_t<runs_in_place, NoWork, asio::executor_work_guard<Executor>>;

 public:
  explicit Completion(Handler&& handler)
      : work_(asio::get_associated_executor(handler)), handler_(std::move(handler)) {}

  Handler& handler() noexcept { return handler_; }

  template <class... Values>
  void deliver([[maybe_unused]] bool is_initiating, Values... values) && {
    if (runs_here(is_initiating)) return std::move(handler_)(std::move(values)...);
    if constexpr (!runs_in_place) {
      const auto allocator = asio::get_associated_allocator(handler_);
      auto call = [handler = std::move(handler_), held = std::make_tuple(std::move(values)...)]() mutable {
        std::apply(std::move(handler), std::move(held));
      };
      hand_over(is_initiating, asio::bind_allocator(allocator, std::move(call)));
    }
  }
  /// Delivers the value that `make()` returns, which is called right before the handler, on its thread. If
  /// `is_in_handler`, a handler with an executor is called inside a handler of the executor: the functions that it
  /// passes on by asio::dispatch(), as coroutines do, then run before any other handler.
  template <class Make>
  void deliver_made(bool is_initiating, bool is_in_handler, Make make) && {
    if (runs_here(is_initiating) && (!is_in_handler || runs_in_handler())) return std::move(handler_)(make());
    if constexpr (!runs_in_place) {
      const auto allocator = asio::get_associated_allocator(handler_);
      auto call = [handler = std::move(handler_), make = std::move(make)]() mutable { std::move(handler)(make()); };
      hand_over(is_initiating, asio::bind_allocator(allocator, std::move(call)));
    }
  }

 private:
  bool runs_here([[maybe_unused]] bool is_initiating) const noexcept {
    if constexpr (runs_in_place) {
      return true;
    } else {
      return !is_initiating && is_of_running_loop(work_.get_executor());
    }
  }
  bool runs_in_handler() const noexcept {
    if constexpr (runs_in_place) {
      return true;
    } else {
      return is_in_handler_of(work_.get_executor());
    }
  }
  template <class Call>
  void hand_over(bool is_initiating, Call&& call) {
    const Executor executor = work_.get_executor();
    if constexpr (has_own_context<Executor>()) {
      if (is_initiating) return asio::post(executor, std::move(call));
    }
    asio::dispatch(executor, std::move(call));
  }

  [[no_unique_address]] Work work_;
  Handler handler_;
};

}  // namespace trunkline::detail
