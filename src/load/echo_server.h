// SPDX-License-Identifier: MIT
// EchoServer: the service that receives the load if the user names no other.
#pragma once

#include "load/delay_distribution.h"

#include <trunkline/server.h>

#include <atomic>
#include <chrono>
#include <string_view>

namespace trunkline::load {

/// For unary and one-way calls. Responds with the request.
inline constexpr std::string_view echo_method = "trunkline.bench.Echo/Echo";
/// Responds with the last message.
inline constexpr std::string_view gather_method = "trunkline.bench.Echo/Gather";
/// Sends the request as often as the metadata says.
inline constexpr std::string_view scatter_method = "trunkline.bench.Echo/Scatter";
/// Sends back each message as it comes.
inline constexpr std::string_view talk_method = "trunkline.bench.Echo/Talk";
/// Responds when the calls before it on the connection have begun.
inline constexpr std::string_view fence_method = "trunkline.bench.Echo/Fence";
/// The name of the metadata of a Scatter call that says how many messages to send.
inline constexpr std::string_view messages_key = "bench-messages";

struct EchoOptions {
  ServerOptions server{};
  /// The delay before each response of Echo.
  DelayDistribution delay{};
  /// For how long the loop of a unary call does nothing. This happens once.
  std::chrono::nanoseconds stall{0};
  /// The stall comes this long after the first call.
  std::chrono::nanoseconds stall_after{std::chrono::seconds(1)};
};

/// Also serves trunkline.v1.Statistics/Get, with the CPU time and the memory of the process.
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
  /// When the loop is to stall, on the steady clock. 0: no call has come. -1: it has stalled.
  std::atomic<std::int64_t> stall_at_{0};
  std::atomic<std::uint64_t> seeds_{0};
  Server server_;
};

}  // namespace trunkline::load
