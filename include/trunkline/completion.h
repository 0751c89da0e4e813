// SPDX-License-Identifier: MIT
// Completion: a completion handler of any Asio token until it is called, where its executor wants it.
#pragma once

#include <trunkline/export.h>

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

namespace trunkline::net {

/// The context of the EventLoop that this thread runs, the innermost; null if it runs none.
TRUNKLINE_API const asio::execution_context* running_context() noexcept;

}  // namespace trunkline::net

namespace trunkline::call {

/// The executor is the bare one of the loop that this thread runs, so that what it is given may be called in place.
/// Asio's own dispatch() would post it: it knows of handlers only, and a loop does more than call those.
template <class Executor>
bool is_of_running_loop(const Executor& executor) noexcept {
  using Bare = asio::io_context::executor_type;
  using Tracked = decltype(asio::prefer(std::declval<Bare>(), asio::execution::outstanding_work.tracked));
  if constexpr (std::is_same_v<Executor, Bare> || std::is_same_v<Executor, Tracked>) {
    const bool may_block = asio::query(executor, asio::execution::blocking) != asio::execution::blocking.never;
    return may_block && &executor.context() == net::running_context();
  } else if constexpr (std::is_same_v<Executor, asio::any_io_executor>) {
    if (const auto* const bare = executor.template target<Bare>()) return is_of_running_loop(*bare);
    if (const auto* const tracked = executor.template target<Tracked>()) return is_of_running_loop(*tracked);
    return false;
  } else {
    return false;
  }
}

/// Others, such as that of use_future, have Asio start threads for what is posted to them.
template <class Executor>
constexpr bool has_own_context() noexcept {
  if constexpr (asio::can_query<const Executor&, asio::execution::context_t>::value) {
    using Context = decltype(asio::query(std::declval<const Executor&>(), asio::execution::context));
    return !std::is_same_v<std::remove_cvref_t<Context>, asio::system_context>;
  } else {
    return false;
  }
}

/// A handler without an executor of its own is called in place, on the loop's thread, as is one whose executor is the
/// loop's; any other through asio::dispatch() with its allocator, in place if its executor allows. Its executor is kept
/// busy meanwhile. Amid the function that initiates the operation it is posted instead, if its executor has a context
/// to wait in.
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
    if constexpr (runs_in_place) {
      std::move(handler_)(std::move(values)...);
    } else {
      const Executor executor = work_.get_executor();
      if (!is_initiating && is_of_running_loop(executor)) return std::move(handler_)(std::move(values)...);
      const auto allocator = asio::get_associated_allocator(handler_);
      auto call = [handler = std::move(handler_), held = std::make_tuple(std::move(values)...)]() mutable {
        std::apply(std::move(handler), std::move(held));
      };
      if constexpr (has_own_context<Executor>()) {
        if (is_initiating) return asio::post(executor, asio::bind_allocator(allocator, std::move(call)));
      }
      asio::dispatch(executor, asio::bind_allocator(allocator, std::move(call)));
    }
  }

 private:
  [[no_unique_address]] Work work_;
  Handler handler_;
};

}  // namespace trunkline::call
