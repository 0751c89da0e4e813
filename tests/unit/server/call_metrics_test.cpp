// SPDX-License-Identifier: MIT
// What one call adds to the metrics of its method.
#include "server/call_metrics.h"

#include <gtest/gtest.h>

namespace trunkline::server {

namespace {

using namespace std::chrono_literals;

session::Event message_of(std::size_t wire_bytes) {
  session::Event event;
  event.has_message = true;
  event.wire_bytes = wire_bytes;
  return event;
}

std::uint64_t finished(const MethodMetrics& metrics, StatusCode code) {
  return metrics.finished[static_cast<std::size_t>(code)].value();
}

TEST(CallMetrics, AddACallToItsMethod) {
  MethodMetrics method;
  const base::TimePoint begin{};
  CallMetrics call(method, begin);

  call.count_received(message_of(10));
  call.count_received(session::Event());
  call.bytes_sent().add(20);
  call.end(StatusCode::ok, begin + 1ms);

  base::Histogram latency;
  method.latency.add_to(latency);
  EXPECT_EQ(method.started.value(), 1u);
  EXPECT_EQ(method.bytes_received.value(), 10u);
  EXPECT_EQ(method.bytes_sent.value(), 20u);
  EXPECT_EQ(finished(method, StatusCode::ok), 1u);
  EXPECT_EQ(latency.count(), 1u);
  EXPECT_FALSE(call.is_collected()) << "a call ends once";
}

TEST(CallMetrics, CountACallWithoutAResponseAsCancelledUnlessToldOtherwise) {
  MethodMetrics method;
  CallMetrics cancelled(method, {});
  CallMetrics late(method, {});
  late.set_status_without_response(StatusCode::deadline_exceeded);

  cancelled.end_without_response({});
  late.end_without_response({});

  EXPECT_EQ(finished(method, StatusCode::cancelled), 1u);
  EXPECT_EQ(finished(method, StatusCode::deadline_exceeded), 1u);
}

TEST(CallMetrics, CountAStatusOutsideTheEnumerationAsUnknown) {
  MethodMetrics method;

  method.count_finished(static_cast<StatusCode>(99));

  EXPECT_EQ(finished(method, StatusCode::unknown), 1u);
}

TEST(CallMetrics, AreEmptyWhileNothingIsCollected) {
  CallMetrics none;

  none.count_received(message_of(10));

  EXPECT_FALSE(none.is_collected());
}

}  // namespace

}  // namespace trunkline::server
