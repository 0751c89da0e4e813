// SPDX-License-Identifier: MIT
// LogRecord and LogCallback: what channels and servers log, and who gets it.
#pragma once

#include <trunkline/detail/export.h>

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

/// Writes a warning or an error to standard error, as one line, and ignores other entries. It is what channels and
/// servers log to by default. Of more than ten lines in a second the rest is left out, and the next line says how many.
/// Any thread may call it.
TRUNKLINE_API void log_to_stderr(const LogRecord& record) noexcept;

}  // namespace trunkline
