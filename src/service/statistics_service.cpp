// SPDX-License-Identifier: MIT
// Answers of the statistics service, and its place in a server.
#include "service/statistics_service.h"

#include <trunkline/statistics.h>

#include <chrono>
#include <memory>
#include <string>

namespace trunkline {

namespace service {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds usual_interval = 1s;
constexpr std::chrono::nanoseconds shortest_interval = 10ms;
constexpr std::chrono::nanoseconds longest_interval = 24h;

struct Get {
  using Request = StatisticsService::Request;
  using Response = StatisticsService::Response;
  static constexpr MethodKind kind = MethodKind::unary;
  static constexpr bool is_idempotent = true;
  static constexpr std::string_view name = "trunkline.v1.Statistics/Get";
};

struct WatchMethod {
  using Request = StatisticsService::Request;
  using Response = StatisticsService::Response;
  static constexpr MethodKind kind = MethodKind::server_stream;
  static constexpr bool is_idempotent = false;
  static constexpr std::string_view description =
      "Now, and each time the interval has passed, until the caller ends the call.";
  static constexpr std::string_view name = "trunkline.v1.Statistics/Watch";
};

Result<std::chrono::nanoseconds> interval_of(std::uint64_t asked) {
  if (asked == 0) return usual_interval;
  const auto shortest = static_cast<std::uint64_t>(shortest_interval.count());
  const auto longest = static_cast<std::uint64_t>(longest_interval.count());
  if (asked >= shortest && asked <= longest) {
    return std::chrono::nanoseconds(static_cast<std::chrono::nanoseconds::rep>(asked));
  }
  return Status(StatusCode::invalid_argument, "watch statistics: interval_ns " + std::to_string(asked) + " is not in " +
                                                  std::to_string(shortest) + " to " + std::to_string(longest));
}

}  // namespace

Status StatisticsService::get(const Request& request, Response& response, ServerContext&) {
  describe(server_.statistics(), request, response);
  return Status::ok();
}

asio::awaitable<Status> StatisticsService::watch(const Request& request, ServerWriter<Response>& writer,
                                                 ServerContext& context) {
  const Result<std::chrono::nanoseconds> interval = interval_of(request.interval_ns());
  if (!interval.is_ok()) co_return interval.status();
  Ending::Stream open(ending_, context.executor());
  Response response;
  for (Bell::TimePoint next = std::chrono::steady_clock::now();; next += *interval) {
    response.Clear();
    describe(server_.statistics(), request, response);
    const Status written = co_await writer.async_write(response, open.token());
    if (open.is_over()) co_return Status(StatusCode::unavailable, "watch statistics: the server is shutting down");
    if (!written) co_return written;
    // What a slow reader has missed is left out.
    next = std::max(next, std::chrono::steady_clock::now() - *interval);
    co_await open.bell().wait(next + *interval);
  }
}

}  // namespace service

void add_statistics(Server& server, const StatisticsOptions& options) {
  using service::StatisticsService;
  const auto statistics = std::make_shared<StatisticsService>(server);
  ServiceDefinition definition;
  definition.add<service::Get>(statistics, &StatisticsService::get);
  definition.add<service::WatchMethod>(statistics, &StatisticsService::watch,
                                       {.max_concurrent_calls = options.max_watches});
  server.add_service(std::move(definition));
  server.on_shutdown([watched = std::weak_ptr<StatisticsService>(statistics)] {
    if (const std::shared_ptr<StatisticsService> alive = watched.lock()) alive->close();
  });
  server.collect_statistics();
}

}  // namespace trunkline
