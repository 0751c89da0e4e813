// SPDX-License-Identifier: MIT
// Completion: a completion handler of any Asio token until it is called, where its executor wants it.
#pragma once

#include <asio/associated_allocator.hpp>
#include <asio/associated_executor.hpp>
#include <asio/bind_allocator.hpp>
#include <asio/dispatch.hpp>
#include <asio/execution/context.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/query.hpp>
#include <asio/system_context.hpp>
#include <asio/system_executor.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace trunkline::call {

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

/// A handler without an executor of its own is called in place, on the loop's thread; any other through
/// asio::dispatch() with its allocator, in place if its executor allows. Its executor is kept busy meanwhile. Amid the
/// function that initiates the operation it is posted instead, if its executor has a context to wait in.
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
