// SPDX-License-Identifier: MIT
// Server options out of their range.
#include "server/server_options_check.h"

#include <trunkline/event_loop.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace trunkline::server {

namespace {

std::string error_of(const std::function<void(ServerOptions&)>& change) {
  ServerOptions options;
  change(options);
  try {
    check_options(options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(ServerOptionsCheck, TakesTheDefaults) {
  EXPECT_EQ(error_of([](ServerOptions&) {}), "nothing thrown");
}

TEST(ServerOptionsCheck, NamesOptionValueAndRange) {
  EXPECT_EQ(error_of([](ServerOptions& o) { o.loops = 0; }), "server options: loops 0 is not 1 to 1024");
  EXPECT_EQ(error_of([](ServerOptions& o) { o.loops = 1025; }), "server options: loops 1025 is not 1 to 1024");
  EXPECT_EQ(error_of([](ServerOptions& o) { o.limits.max_frame_bytes = 65535; }),
            "server options: max_frame_bytes 65535 is not 65536 to 268435456");
  EXPECT_EQ(error_of([](ServerOptions& o) { o.idle_timeout = std::chrono::milliseconds(-1); }),
            "server options: idle_timeout of -1 ms is not 0 ms to 365 days");
  EXPECT_EQ(error_of([](ServerOptions& o) { o.limits.flush_delay = std::chrono::microseconds(-500); }),
            "server options: flush_delay of -500 us is not 0 us to 365 days");
}

TEST(ServerOptionsCheck, TakesHostsWithoutPorts) {
  EXPECT_EQ(error_of([](ServerOptions& o) { o.allowed_hosts = {"api.example", "*.example"}; }), "nothing thrown");
  EXPECT_EQ(error_of([](ServerOptions& o) { o.allowed_hosts = {"api.example:80"}; }),
            "server options: allowed_hosts: \"api.example:80\" is neither a name without its port nor *.NAME");
}

TEST(ServerOptionsCheck, RefusesEachOptionOutOfRange) {
  const std::pair<const char*, std::function<void(ServerOptions&)>> cases[] = {
      {"max_message_bytes", [](ServerOptions& o) { o.limits.max_message_bytes = 1ull << 31; }},
      {"max_header_bytes", [](ServerOptions& o) { o.limits.max_header_bytes = 8191; }},
      {"max_methods", [](ServerOptions& o) { o.limits.max_methods = 255; }},
      {"connection_credit_bytes", [](ServerOptions& o) { o.limits.connection_credit_bytes = (1 << 20) - 1; }},
      {"call_credit_bytes", [](ServerOptions& o) { o.limits.call_credit_bytes = 65535; }},
      {"max_unread_bytes", [](ServerOptions& o) { o.limits.max_unread_bytes = o.limits.max_message_bytes - 1; }},
      {"max_unsent_bytes", [](ServerOptions& o) { o.limits.max_unsent_bytes = 0; }},
      {"chunk_bytes", [](ServerOptions& o) { o.limits.chunk_bytes = 1023; }},
      {"flush_delay", [](ServerOptions& o) { o.limits.flush_delay = std::chrono::microseconds(-1); }},
      {"handshake_timeout", [](ServerOptions& o) { o.limits.handshake_timeout = std::chrono::milliseconds(0); }},
      {"keepalive_interval", [](ServerOptions& o) { o.limits.keepalive_interval = std::chrono::milliseconds(-1); }},
      {"stall_timeout", [](ServerOptions& o) { o.limits.stall_timeout = std::chrono::milliseconds(-1); }},
      {"max_memory_bytes", [](ServerOptions& o) { o.max_memory_bytes = (1 << 20) - 1; }},
      {"keepalive_timeout", [](ServerOptions& o) { o.limits.keepalive_timeout = std::chrono::milliseconds(0); }},
      {"worker_threads", [](ServerOptions& o) { o.worker_threads = 65537; }},
      {"max_connections", [](ServerOptions& o) { o.max_connections = 0; }},
      {"max_concurrent_calls_per_connection", [](ServerOptions& o) { o.max_concurrent_calls_per_connection = 0; }},
      {"max_memory_percent_per_peer", [](ServerOptions& o) { o.max_memory_percent_per_peer = 0; }},
      {"max_memory_percent_per_peer", [](ServerOptions& o) { o.max_memory_percent_per_peer = 101; }},
      {"max_decompression_ratio", [](ServerOptions& o) { o.limits.max_decompression_ratio = 0; }},
      {"max_connections_per_peer", [](ServerOptions& o) { o.max_connections_per_peer = 0; }},
      {"max_concurrent_calls_per_peer", [](ServerOptions& o) { o.max_concurrent_calls_per_peer = 0; }},
      {"max_cancelled_calls_per_second", [](ServerOptions& o) { o.max_cancelled_calls_per_second = 3000000000; }},
      {"max_turn_bytes", [](ServerOptions& o) { o.max_turn_bytes = 65535; }},
      {"slow_handler_threshold", [](ServerOptions& o) { o.slow_handler_threshold = std::chrono::milliseconds(-1); }},
      {"max_concurrent_calls", [](ServerOptions& o) { o.max_concurrent_calls = 0; }},
      {"busy_poll", [](ServerOptions& o) { o.loop.busy_poll = std::chrono::microseconds(-1); }},
      {"codecs", [](ServerOptions& o) { o.codecs = {}; }},
      {"compressor 'lzw'", [](ServerOptions& o) { o.compressor = "lzw"; }},
      {"interceptors", [](ServerOptions& o) { o.interceptors.push_back(nullptr); }},
  };

  for (const auto& [option, change] : cases) {
    EXPECT_NE(error_of(change).find(option), std::string::npos) << option << ": " << error_of(change);
  }
}

TEST(ServerOptionsCheck, IsDoneByTheServer) {
  ServerOptions options;
  options.loops = 0;
  EventLoop loop;

  EXPECT_THROW(Server{options}, std::invalid_argument);
  options.loops = 2;
  EXPECT_THROW((Server{loop, options}), std::invalid_argument) << "a loop of the user's is just one";
}

}  // namespace

}  // namespace trunkline::server
