// SPDX-License-Identifier: MIT
// Ranges of options, and the exact texts that name an option, its value and its range.
#include "call/option_checker.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace trunkline::call {

namespace {

using namespace std::chrono_literals;

constexpr OptionChecker checker("test options");

std::string error_of(const std::function<void()>& check) {
  try {
    check();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

std::string error_of_limits(const std::function<void(ConnectionLimits&)>& change) {
  ConnectionLimits limits;
  change(limits);
  return error_of([&] { checker.check_limits(limits); });
}

TEST(OptionChecker, AcceptsTheDefaultLimits) {
  EXPECT_EQ(error_of_limits([](ConnectionLimits&) {}), "accepted");
}

TEST(OptionChecker, NamesTheLimitItsValueAndItsRange) {
  struct Case {
    std::function<void(ConnectionLimits&)> change;
    std::string text;
  };
  const Case cases[] = {
      {[](auto& l) { l.max_frame_bytes = 65535; }, "max_frame_bytes 65535 is not 65536 to 268435456"},
      {[](auto& l) { l.max_frame_bytes = 268435457; }, "max_frame_bytes 268435457 is not 65536 to 268435456"},
      {[](auto& l) { l.max_message_bytes = 0; }, "max_message_bytes 0 is not 1 to 2147483647"},
      {[](auto& l) { l.max_message_bytes = 1ull << 31; }, "max_message_bytes 2147483648 is not 1 to 2147483647"},
      {[](auto& l) { l.max_header_bytes = 8191; }, "max_header_bytes 8191 is not 8192 to 1048576"},
      {[](auto& l) { l.max_header_bytes = 1048577; }, "max_header_bytes 1048577 is not 8192 to 1048576"},
      {[](auto& l) { l.max_methods = 255; }, "max_methods 255 is not 256 to 65536"},
      {[](auto& l) { l.max_methods = 65537; }, "max_methods 65537 is not 256 to 65536"},
      {[](auto& l) { l.connection_credit_bytes = 1048575; },
       "connection_credit_bytes 1048575 is not 1048576 to 2147483647"},
      {[](auto& l) { l.connection_credit_bytes = 1u << 31; },
       "connection_credit_bytes 2147483648 is not 1048576 to 2147483647"},
      {[](auto& l) { l.call_credit_bytes = 65535; }, "call_credit_bytes 65535 is not 65536 to 2147483647"},
      {[](auto& l) { l.call_credit_bytes = 1u << 31; }, "call_credit_bytes 2147483648 is not 65536 to 2147483647"},
      {[](auto& l) { l.max_unread_bytes = l.max_message_bytes - 1; },
       "max_unread_bytes 67108863 is not 67108864 to 18446744073709551615"},
      {[](auto& l) { l.max_unsent_bytes = 0; }, "max_unsent_bytes 0 is not 1 to 18446744073709551615"},
      {[](auto& l) { l.chunk_bytes = 1023; }, "chunk_bytes 1023 is not 1024 to 16777216"},
      {[](auto& l) { l.chunk_bytes = 16777217; }, "chunk_bytes 16777217 is not 1024 to 16777216"},
      {[](auto& l) { l.read_buffer_bytes = 268435457; }, "read_buffer_bytes 268435457 is not 0 to 268435456"},
      {[](auto& l) { l.write_buffer_bytes = 268435457; }, "write_buffer_bytes 268435457 is not 0 to 268435456"},
      {[](auto& l) { l.flush_delay = -500us; }, "flush_delay of -500 us is not 0 us to 365 days"},
      {[](auto& l) { l.flush_delay = 24h * 365 + 1us; }, "flush_delay of 31536000000001 us is not 0 us to 365 days"},
      {[](auto& l) { l.handshake_timeout = 0ms; }, "handshake_timeout of 0 ms is not 1 ms to 365 days"},
      {[](auto& l) { l.keepalive_interval = -1ms; }, "keepalive_interval of -1 ms is not 0 ms to 365 days"},
      {[](auto& l) { l.keepalive_timeout = 0ms; }, "keepalive_timeout of 0 ms is not 1 ms to 365 days"},
      {[](auto& l) { l.stall_timeout = -1ms; }, "stall_timeout of -1 ms is not 0 ms to 365 days"},
  };

  for (const Case& expected : cases) {
    EXPECT_EQ(error_of_limits(expected.change), "test options: " + expected.text);
  }
}

TEST(OptionChecker, AcceptsBothEndsOfEachLimit) {
  const auto smallest = [](ConnectionLimits& l) {
    l.max_frame_bytes = 64 << 10;
    l.max_message_bytes = 1;
    l.max_header_bytes = 8 << 10;
    l.max_methods = 256;
    l.connection_credit_bytes = 1 << 20;
    l.call_credit_bytes = 64 << 10;
    l.max_unread_bytes = 1;
    l.max_unsent_bytes = 1;
    l.chunk_bytes = 1 << 10;
    l.read_buffer_bytes = l.write_buffer_bytes = 0;
    l.flush_delay = 0us;
    l.keepalive_timeout = l.handshake_timeout = 1ms;
    l.keepalive_interval = 0ms;
  };
  const auto largest = [](ConnectionLimits& l) {
    l.max_frame_bytes = 256 << 20;
    l.max_message_bytes = l.connection_credit_bytes = l.call_credit_bytes = INT32_MAX;
    l.max_header_bytes = 1 << 20;
    l.max_methods = 65536;
    l.max_unread_bytes = l.max_unsent_bytes = SIZE_MAX;
    l.chunk_bytes = 16 << 20;
    l.read_buffer_bytes = l.write_buffer_bytes = 256 << 20;
    l.flush_delay = l.handshake_timeout = l.keepalive_interval = OptionChecker::max_duration;
    l.keepalive_timeout = OptionChecker::max_duration;
  };

  EXPECT_EQ(error_of_limits(smallest), "accepted");
  EXPECT_EQ(error_of_limits(largest), "accepted");
}

TEST(OptionChecker, PrintsADurationInTheUnitOfItsOption) {
  EXPECT_EQ(error_of([] { checker.check_duration("pause", -1ns, 1ns); }),
            "test options: pause of -1 ns is not 1 ns to 365 days");
  EXPECT_EQ(error_of([] { checker.check_duration("pause", -500us, 0us); }),
            "test options: pause of -500 us is not 0 us to 365 days");
  EXPECT_EQ(error_of([] { checker.check_duration("pause", 5ms, 10ms); }),
            "test options: pause of 5 ms is not 10 ms to 365 days");
  EXPECT_EQ(error_of([] { checker.check_duration("pause", -2s, 0s); }),
            "test options: pause of -2 s is not 0 s to 365 days");
}

TEST(OptionChecker, PrintsASignedNumberAsItIs) {
  EXPECT_EQ(error_of([] { checker.check_range("count", -1, 0, 100); }), "test options: count -1 is not 0 to 100");
  EXPECT_EQ(error_of([] { checker.check_range("count", 101, 0, 100); }), "test options: count 101 is not 0 to 100");
}

TEST(OptionChecker, RefusesAnEmptyCodecRegistry) {
  EXPECT_EQ(error_of([] { checker.check_codecs(CodecRegistry()); }), "test options: codecs is empty");
  EXPECT_EQ(error_of([] { checker.check_codecs(CodecRegistry::with_defaults()); }), "accepted");
}

TEST(OptionChecker, RefusesACompressorThatIsNotInTheRegistry) {
  const CompressorRegistry none;

  EXPECT_EQ(error_of([&] { checker.check_compressor("lzw", none); }),
            "test options: compressor 'lzw' is not among compressors");
  EXPECT_EQ(error_of([&] { checker.check_compressor("", none); }), "accepted");
  EXPECT_EQ(error_of([&] { checker.check_compressor("identity", none); }), "accepted");
}

TEST(OptionChecker, RefusesANullInterceptor) {
  EXPECT_EQ(error_of([] { checker.check_interceptors({nullptr}); }), "test options: interceptors holds a null pointer");
  EXPECT_EQ(error_of([] { checker.check_interceptors({}); }), "accepted");
}

}  // namespace

}  // namespace trunkline::call
