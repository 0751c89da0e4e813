// SPDX-License-Identifier: MIT
// Result<T>: a value, or the Status that says why there is none. StatusError: a Status as an exception.
#pragma once

#include <trunkline/status.h>

#include <cassert>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

namespace trunkline {

/// A Status as an exception. Result::value() throws it, and so do functions whose comment says so.
class StatusError : public std::runtime_error {
 public:
  explicit StatusError(Status status) : std::runtime_error(status.to_string()), status_(std::move(status)) {}
  const Status& status() const noexcept { return status_; }

 private:
  Status status_;
};

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result() : state_(std::in_place_index<1>, StatusCode::unknown, "no result") {}
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
  /// Makes a result without a value. An ok status carries no value either, so it becomes an internal error.
  Result(Status status) : state_(std::in_place_index<1>, std::move(status)) {  // NOLINT: implicit by design
    if (std::get<1>(state_).is_ok())
      std::get<1>(state_) = Status(StatusCode::internal, "result: ok status without a value");
  }

  bool is_ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return is_ok(); }
  /// Returns the error, or ok if there is a value.
  Status status() const& { return is_ok() ? Status() : std::get<1>(state_); }
  Status status() && { return is_ok() ? Status() : std::get<1>(std::move(state_)); }

  /// Returns the value. Throws StatusError if there is none.
  T& value() & { return check(), std::get<0>(state_); }
  const T& value() const& { return check(), std::get<0>(state_); }
  T&& value() && { return check(), std::get<0>(std::move(state_)); }

  /// Returns the value. The behaviour is undefined if there is none.
  T& operator*() & noexcept { return assert(is_ok()), *std::get_if<0>(&state_); }
  const T& operator*() const& noexcept { return assert(is_ok()), *std::get_if<0>(&state_); }
  T&& operator*() && noexcept { return assert(is_ok()), std::move(*std::get_if<0>(&state_)); }
  T* operator->() noexcept { return assert(is_ok()), std::get_if<0>(&state_); }
  const T* operator->() const noexcept { return assert(is_ok()), std::get_if<0>(&state_); }

  template <class U>
  T value_or(U&& other) const& {
    return is_ok() ? std::get<0>(state_) : static_cast<T>(std::forward<U>(other));
  }

 private:
  void check() const {
    if (!is_ok()) throw StatusError(std::get<1>(state_));
  }

  std::variant<T, Status> state_;
};

}  // namespace trunkline
