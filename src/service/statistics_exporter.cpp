// SPDX-License-Identifier: MIT
// StatisticsExporter: sends statistics once or repeatedly, and is added to a server.
#include "service/statistics_exporter.h"

#include "service/statistics_message.h"

#include <trunkline/statistics_service.h>

#include <chrono>
#include <memory>
#include <string>

namespace trunkline {

namespace service {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds default_interval = 1s;
constexpr std::chrono::nanoseconds min_interval = 10ms;
constexpr std::chrono::nanoseconds max_interval = 24h;

struct GetMethod {
  using Request = StatisticsExporter::Request;
  using Response = StatisticsExporter::Response;
  static constexpr MethodKind kind = MethodKind::unary;
  static constexpr bool is_idempotent = true;
  static constexpr bool has_no_side_effects = true;
  static constexpr std::string_view name = "trunkline.v1.Statistics/Get";
};

struct WatchMethod {
  using Request = StatisticsExporter::Request;
  using Response = StatisticsExporter::Response;
  static constexpr MethodKind kind = MethodKind::server_stream;
  static constexpr bool is_idempotent = false;
  static constexpr std::string_view description =
      "Sends the statistics now and each time the interval has passed, until the caller ends the call.";
  static constexpr std::string_view name = "trunkline.v1.Statistics/Watch";
};

Result<std::chrono::nanoseconds> interval_of(std::uint64_t requested) {
  if (requested == 0) return default_interval;
  const auto min = static_cast<std::uint64_t>(min_interval.count());
  const auto max = static_cast<std::uint64_t>(max_interval.count());
  if (requested >= min && requested <= max) {
    return std::chrono::nanoseconds(static_cast<std::chrono::nanoseconds::rep>(requested));
  }
  return Status(StatusCode::invalid_argument, "watch statistics: interval_ns " + std::to_string(requested) +
                                                  " is not " + std::to_string(min) + " to " + std::to_string(max));
}

}  // namespace

Status StatisticsExporter::get(const Request& request, Response& response, ServerContext&) {
  fill_message(server_.statistics(), request, response);
  return Status::ok();
}

asio::awaitable<Status> StatisticsExporter::watch(const Request& request, ServerWriter<Response>& writer,
                                                  ServerContext& context) {
  return send(request, writer, context, false);
}

asio::awaitable<Status> StatisticsExporter::watch_changes(const Request& request, ServerWriter<Response>& writer,
                                                          ServerContext& context) {
  return send(request, writer, context, true);
}

asio::awaitable<Status> StatisticsExporter::send(const Request& request, ServerWriter<Response>& writer,
                                                 ServerContext& context, bool changes_alone) {
  const Result<std::chrono::nanoseconds> interval = interval_of(request.interval_ns());
  if (!interval.is_ok()) co_return interval.status();
  ShutdownNotifier::Subscription subscription(notifier_, context.executor());
  Response response;
  Response before;
  for (AsyncEvent::TimePoint next = std::chrono::steady_clock::now();; next += *interval) {
    response.Clear();
    fill_message(server_.statistics(), request, response);
    if (changes_alone) {
      Response whole = response;
      remove_unchanged_buckets(before, response);
      before.Swap(&whole);
    }
    const Status written = co_await writer.async_write(response, subscription.token());
    if (subscription.is_shut_down())
      co_return Status(StatusCode::unavailable, "watch statistics: the server is shutting down");
    if (!written) co_return written;
    // Intervals that a slow reader has missed are skipped.
    next = std::max(next, std::chrono::steady_clock::now() - *interval);
    co_await subscription.event().wait(next + *interval);
  }
}

}  // namespace service

void add_statistics(Server& server, const StatisticsOptions& options) {
  using service::StatisticsExporter;
  const auto statistics = std::make_shared<StatisticsExporter>(server);
  ServiceDefinition definition;
  definition.add<service::GetMethod>(statistics, &StatisticsExporter::get);
  definition.add<service::WatchMethod>(statistics, &StatisticsExporter::watch,
                                       {.max_concurrent_calls = options.max_watches});
  server.add_service(std::move(definition));
  server.on_shutdown([weak = std::weak_ptr<StatisticsExporter>(statistics)] {
    if (const std::shared_ptr<StatisticsExporter> self = weak.lock()) self->close();
  });
  server.collect_statistics();
}

}  // namespace trunkline
