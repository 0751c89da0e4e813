// SPDX-License-Identifier: MIT
// CallIds: the ids of a connection's calls, which rise modulo 2^32 (docs/wire.md, section 6).
#pragma once

#include "session/event.h"

#include <cstdint>

namespace trunkline::session::native {

/// Tracks the ids that a client has given to calls, or that a server has received. 0 belongs to the connection.
class CallIds {
 public:
  /// Returns true if `id` is later than `other`; they are less than 2^31 apart.
  static constexpr bool is_after(CallId id, CallId other) noexcept { return static_cast<std::int32_t>(id - other) > 0; }

  /// Returns the id of the latest call, or 0 before the first.
  CallId newest() const noexcept { return newest_; }
  bool have_wrapped() const noexcept { return have_wrapped_; }
  /// Returns true if `id` follows the newest one and no id has ever wrapped, so that no open call can have it.
  bool rises_to(CallId id) const noexcept { return !have_wrapped_ && id > newest_ && is_after(id, newest_); }
  bool was_opened(CallId id) const noexcept { return have_wrapped_ ? !is_after(id, newest_) : id <= newest_; }
  /// `id` is now the newest one; it is after the one before.
  void advance_to(CallId id) noexcept {
    if (id < newest_) have_wrapped_ = true;
    newest_ = id;
  }
  /// Returns the id of the next call. After a wrap it skips ids for which `is_open(id)`.
  template <class IsOpen>
  CallId next(IsOpen is_open) const {
    CallId id = newest_ + 1;
    if (have_wrapped_ || id == 0) [[unlikely]] {
      while (id == 0 || is_open(id)) ++id;
    }
    return id;
  }

 private:
  CallId newest_ = 0;
  bool have_wrapped_ = false;
};

}  // namespace trunkline::session::native
