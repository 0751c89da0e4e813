// SPDX-License-Identifier: MIT
// EchoServer: the built-in service that receives the load unless the user names another method.
#pragma once

#include "load/delay_distribution.h"

#include <trunkline/server.h>

#include <atomic>
#include <chrono>
#include <string_view>

namespace trunkline::load {

/// A method for unary and one-way calls. It responds with the request.
inline constexpr std::string_view echo_method = "trunkline.bench.Echo/Echo";
/// A method for client streams. It responds with the last message.
inline constexpr std::string_view gather_method = "trunkline.bench.Echo/Gather";
/// A method for server streams. It sends the request as many times as the metadata `messages_key` states.
inline constexpr std::string_view scatter_method = "trunkline.bench.Echo/Scatter";
/// A method for bidirectional streams. It sends each message back as soon as it arrives.
inline constexpr std::string_view talk_method = "trunkline.bench.Echo/Talk";
/// A method that responds after all earlier calls of the connection have begun. This confirms that the server has taken
/// one-way calls.
inline constexpr std::string_view fence_method = "trunkline.bench.Echo/Fence";
/// The metadata name under which a Scatter call states how many messages to send.
inline constexpr std::string_view messages_key = "bench-messages";

struct EchoOptions {
  ServerOptions server{};
  /// The delay before each response of Echo.
  DelayDistribution delay{};
  /// The length of a stall: once, the loop that serves a unary call is blocked for this time. 0: never.
  std::chrono::nanoseconds stall{0};
  /// The time from the first call to the stall.
  std::chrono::nanoseconds stall_after{std::chrono::seconds(1)};
};

/// A server that also serves trunkline.v1.Statistics/Get, with the CPU time and the memory of the process.
class EchoServer {
 public:
  explicit EchoServer(EchoOptions options);

  Server& server() noexcept { return server_; }

 private:
  void add_unary();
  void add_delayed();
  void add_streams();
  void add_statistics();
  void stall_once();

  EchoOptions options_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  /// The time of the stall, on the steady clock. 0: no call has arrived yet. -1: the stall is over.
  std::atomic<std::int64_t> stall_at_{0};
  std::atomic<std::uint64_t> seeds_{0};
  Server server_;
};

}  // namespace trunkline::load
