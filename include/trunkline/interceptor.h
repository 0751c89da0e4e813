// SPDX-License-Identifier: MIT
// Interceptor: hooks at the start and the end of every call of a channel or server.
#pragma once

#include <trunkline/metadata.h>
#include <trunkline/status.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace trunkline {

enum class Side : std::uint8_t { client, server };

/// Describes one call. It is valid during the hook.
struct CallInfo {
  Side side = Side::client;
  /// The number of the call: on_start and on_finish of a call get the same one. It is unique within the process.
  std::uint64_t id = 0;
  std::string_view method;
  /// The address of the other side. On the client it is empty before the call has a connection.
  std::string_view peer;
  /// On the server, what ServerContext::certificate_subject(), certificate_names() and certificate_pem() return for
  /// this call, so that an interceptor can authorise by them; empty on the client.
  std::string_view certificate_subject;
  std::span<const std::string> certificate_names;
  std::string_view certificate_pem;
  /// On the server, what ServerContext::user_agent() returns for this call; empty on the client.
  std::string_view user_agent;
  std::chrono::steady_clock::time_point started;
  /// The deadline; time_point::max() if there is none. On the client, on_start may move it to an earlier time.
  std::chrono::steady_clock::time_point deadline;
  /// In on_start, the metadata of the request, to which clients may add. In on_finish, the trailing metadata, to which
  /// servers may add.
  Metadata* metadata = nullptr;
};

/// on_start hooks run in the order of registration. on_finish hooks run in the reverse order, only for interceptors
/// whose on_start ran. Hooks run on the loop's thread, or on the caller's thread for a client call from another thread.
/// They must be thread-safe and must not block.
class TRUNKLINE_API Interceptor {
 public:
  virtual ~Interceptor() = default;
  /// Runs when the call begins. An error ends the call with that status: on the client before anything is sent, on the
  /// server before the handler runs.
  virtual Status on_start(CallInfo& call) { return static_cast<void>(call), Status(); }
  /// Runs when the call has ended. It may replace `status`.
  virtual void on_finish(CallInfo& call, Status& status) { static_cast<void>(call), static_cast<void>(status); }
};

}  // namespace trunkline
