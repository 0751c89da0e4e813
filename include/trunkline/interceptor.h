// SPDX-License-Identifier: MIT
// Interceptor: sees every call of a channel or server at its start and its end.
#pragma once

#include <trunkline/metadata.h>
#include <trunkline/status.h>

#include <chrono>
#include <cstdint>
#include <string_view>

namespace trunkline {

enum class Side : std::uint8_t { client, server };

/// The call as interceptors see it. Valid during the hook.
struct CallInfo {
  Side side = Side::client;
  std::uint64_t id = 0;  ///< the same at the call's start and end, unique within the process
  std::string_view method;
  std::string_view peer;  ///< empty on the client before the call has a connection
  std::chrono::steady_clock::time_point started;
  std::chrono::steady_clock::time_point
      deadline;  ///< time_point::max() for none; clients may bring it forward in on_start
  /// on_start: what the caller sends; clients may add to it. on_finish: the trailing metadata; servers may add to it.
  Metadata* metadata = nullptr;
};

/// on_start hooks run in the order of registration, on_finish in the reverse order, for just those whose on_start ran.
/// Called on the loop's thread, or the caller's for a client call from another thread; must not block and must be
/// thread-safe.
class TRUNKLINE_API Interceptor {
 public:
  virtual ~Interceptor() = default;
  /// An error ends the call with it before anything is sent, or before the handler runs.
  virtual Status on_start(CallInfo& call) { return static_cast<void>(call), Status(); }
  /// May replace the status.
  virtual void on_finish(CallInfo& call, Status& status) { static_cast<void>(call), static_cast<void>(status); }
};

}  // namespace trunkline
