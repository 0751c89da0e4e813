// SPDX-License-Identifier: MIT
// Blocking: the return type of handlers that may block.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace trunkline {

/// A handler that returns Blocking<T> instead of T runs on the server's worker pool, where it may block. Blocking<T> is
/// constructible from whatever T is constructible from, so the handler's `return` statements do not change.
template <class T>
class [[nodiscard]] Blocking {
 public:
  template <class Value>
  requires(std::convertible_to<Value, T> && !std::same_as<std::remove_cvref_t<Value>, Blocking>)
      Blocking(Value&& value)  // NOLINT: implicit by design
      : value_(std::forward<Value>(value)) {}
  /// Constructs the value from no argument or from several: `return {};`, `return {StatusCode::not_found, "..."};`.
  template <class... Arguments>
  requires(sizeof...(Arguments) != 1 && std::constructible_from<T, Arguments...>) Blocking(Arguments&&... arguments)
      : value_(std::forward<Arguments>(arguments)...) {}

  T take() && { return std::move(value_); }

 private:
  T value_;
};

}  // namespace trunkline
