// SPDX-License-Identifier: MIT
// CallReport: what --verbose tells of a call on standard error.
#pragma once

#include "cli/payload.h"

#include <trunkline/metadata.h>
#include <trunkline/status.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace trunkline::cli {

/// Any thread. Quiet ones count and say nothing.
class CallReport {
 public:
  explicit CallReport(bool is_verbose) noexcept : is_verbose_(is_verbose) {}

  void begin(std::string_view method, std::string_view codec, const Metadata& metadata);
  void sent(const Payload& request);
  /// Metadata that came before the first message, once.
  void leading(const Metadata& metadata);
  void received(const Payload& response);
  void end(const Status& status, const Metadata& trailing, std::string_view peer);

 private:
  using Clock = std::chrono::steady_clock;

  /// `line` may hold what a peer has said.
  void say(std::string_view line) const;
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

}  // namespace trunkline::cli
