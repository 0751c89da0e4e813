// SPDX-License-Identifier: MIT
// LogRecord and LogCallback: what channels and servers log, and who gets it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace trunkline {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// One entry of the log. The views are valid during the callback.
struct LogRecord {
  LogLevel level = LogLevel::info;
  std::string_view message;
  /// The method of the call; empty if the entry does not concern a call.
  std::string_view method;
  /// The address of the other side; empty if the entry does not concern a connection.
  std::string_view peer;
};

/// Receives entries on the loop's thread, or on a worker's for blocking handlers. It is thread-safe and never throws.
using LogCallback = std::function<void(const LogRecord& record)>;

}  // namespace trunkline
