// SPDX-License-Identifier: MIT
// CallReport: prints the messages of --verbose about a call on standard error.
#pragma once

#include "cli/schema/packed_message.h"

#include <trunkline/metadata.h>
#include <trunkline/status.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace trunkline::cli::calls {

/// A report that any thread may use. It prints nothing unless it is verbose.
class CallReport {
 public:
  explicit CallReport(bool is_verbose) noexcept : is_verbose_(is_verbose) {}

  void begin(std::string_view method, std::string_view codec, const Metadata& metadata);
  void sent(const schema::PackedMessage& request);
  /// Prints the metadata that arrived before the first message, once.
  void leading(const Metadata& metadata);
  void received(const schema::PackedMessage& response);
  void end(const Status& status, const Metadata& trailing, std::string_view peer);

 private:
  using Clock = std::chrono::steady_clock;

  /// Prints `line`, which may contain text from a peer.
  void write_line(std::string_view line) const;
  std::string elapsed() const;

  const bool is_verbose_;
  std::mutex mutex_;
  Clock::time_point started_ = Clock::now();
  std::uint64_t requests_ = 0;
  std::uint64_t request_bytes_ = 0;
  std::uint64_t responses_ = 0;
  std::uint64_t response_bytes_ = 0;
  bool has_leading_ = false;
};

}  // namespace trunkline::cli::calls
