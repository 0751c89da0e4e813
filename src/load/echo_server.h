// SPDX-License-Identifier: MIT
// EchoServer: the service that loads are generated against where there is no other.
#pragma once

#include "load/delay_distribution.h"

#include <trunkline/server.h>

#include <atomic>
#include <chrono>
#include <string_view>

namespace trunkline::load {

inline constexpr std::string_view echo_method = "trunkline.bench.Echo/Echo";        ///< unary and one-way
inline constexpr std::string_view gather_method = "trunkline.bench.Echo/Gather";    ///< answers with the last message
inline constexpr std::string_view scatter_method = "trunkline.bench.Echo/Scatter";  ///< as often as the metadata says
inline constexpr std::string_view talk_method = "trunkline.bench.Echo/Talk";        ///< each message, as it comes
inline constexpr std::string_view fence_method = "trunkline.bench.Echo/Fence";      ///< answers when its turn comes
/// Metadata of a call of Scatter: how many messages to send.
inline constexpr std::string_view messages_key = "bench-messages";

struct EchoOptions {
  ServerOptions server{};
  DelayDistribution delay{};                                      ///< before each answer of Echo
  std::chrono::nanoseconds stall{0};                              ///< once: the loop of a unary call does nothing
  std::chrono::nanoseconds stall_after{std::chrono::seconds(1)};  ///< the first call
};

/// Also serves trunkline.v1.Statistics/Get, with what the process takes.
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
  std::atomic<std::int64_t> stall_at_{0};  ///< on the steady clock; 0: no call has come; -1: has been
  std::atomic<std::uint64_t> seeds_{0};
  Server server_;
};

}  // namespace trunkline::load
