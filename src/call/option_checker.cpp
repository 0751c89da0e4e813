// SPDX-License-Identifier: MIT
// OptionChecker: the ranges of the options that channels and servers share.
#include "call/option_checker.h"

namespace trunkline::call {

void OptionChecker::check_limits(const ConnectionLimits& limits) const {
  constexpr std::uint64_t kib = 1 << 10;
  constexpr std::uint64_t mib = 1 << 20;
  constexpr std::uint64_t max_int32 = INT32_MAX;
  const auto check_size = [this](std::string_view option, std::uint64_t value, std::uint64_t min, std::uint64_t max) {
    check_range(option, value, min, max);
  };
  check_size("max_frame_bytes", limits.max_frame_bytes, 64 * kib, 256 * mib);
  check_size("max_message_bytes", limits.max_message_bytes, 1, max_int32);
  check_size("max_decompression_ratio", limits.max_decompression_ratio, 1, UINT32_MAX);
  check_size("max_header_bytes", limits.max_header_bytes, 8 * kib, mib);
  check_size("max_methods", limits.max_methods, 256, 65536);
  check_size("connection_credit_bytes", limits.connection_credit_bytes, mib, max_int32);
  check_size("call_credit_bytes", limits.call_credit_bytes, 64 * kib, max_int32);
  check_size("max_call_credit_bytes", limits.max_call_credit_bytes, 0, max_int32);
  check_size("max_unread_bytes", limits.max_unread_bytes, limits.max_message_bytes, SIZE_MAX);
  check_size("max_unsent_bytes", limits.max_unsent_bytes, 1, SIZE_MAX);
  check_size("chunk_bytes", limits.chunk_bytes, kib, 16 * mib);
  check_size("read_buffer_bytes", limits.read_buffer_bytes, 0, 256 * mib);
  check_size("write_buffer_bytes", limits.write_buffer_bytes, 0, 256 * mib);
  check_duration("flush_delay", limits.flush_delay, std::chrono::microseconds(0));
  check_duration("handshake_timeout", limits.handshake_timeout, std::chrono::milliseconds(1));
  check_duration("keepalive_interval", limits.keepalive_interval, std::chrono::milliseconds(0));
  if (limits.keepalive_timeout) {
    check_duration("keepalive_timeout", *limits.keepalive_timeout, std::chrono::milliseconds(1));
  }
  check_duration("stall_timeout", limits.stall_timeout, std::chrono::milliseconds(0));
}

void OptionChecker::check_codecs(const CodecRegistry& codecs) const {
  if (codecs.codecs().empty()) refuse("codecs is empty");
}

void OptionChecker::check_compressor(std::string_view name, const CompressorRegistry& compressors) const {
  if (name.empty() || name == "identity" || compressors.find(name) != nullptr) return;
  refuse("compressor '" + std::string(name) + "' is not among compressors");
}

void OptionChecker::check_interceptors(const std::vector<std::shared_ptr<Interceptor>>& interceptors) const {
  for (const auto& interceptor : interceptors) {
    if (interceptor == nullptr) refuse("interceptors holds a null pointer");
  }
}

}  // namespace trunkline::call
