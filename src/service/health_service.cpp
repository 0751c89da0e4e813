// SPDX-License-Identifier: MIT
// HealthService: statuses, checks and watches, and how the service is added to a server.
#include "service/health_service.h"

#include <stdexcept>
#include <utility>

namespace trunkline {

namespace service {

namespace {

struct CheckMethod {
  using Request = HealthService::Request;
  using Response = HealthService::Response;
  static constexpr MethodKind kind = MethodKind::unary;
  static constexpr bool is_idempotent = true;
  static constexpr bool has_no_side_effects = true;
  static constexpr std::string_view description =
      "Returns the current status. Fails with NOT_FOUND for a service that has none.";
  static constexpr std::string_view name = "grpc.health.v1.Health/Check";
};

struct WatchMethod {
  using Request = HealthService::Request;
  using Response = HealthService::Response;
  static constexpr MethodKind kind = MethodKind::server_stream;
  static constexpr bool is_idempotent = false;
  static constexpr std::string_view description =
      "Sends the current status and each change until the caller ends the call; SERVICE_UNKNOWN for a service without "
      "one.";
  static constexpr std::string_view name = "grpc.health.v1.Health/Watch";
};

v1::HealthCheckResponse::ServingStatus to_message(ServingStatus status) {
  return static_cast<v1::HealthCheckResponse::ServingStatus>(status);
}

/// The longest name of a service from a caller, which is kept as long as its watch is open.
constexpr std::size_t max_name_bytes = 1024;

Status check_name(const std::string& service) {
  if (service.size() <= max_name_bytes) return {};
  return {StatusCode::invalid_argument, "health: the service's name of " + std::to_string(service.size()) +
                                            " bytes exceeds " + std::to_string(max_name_bytes)};
}

}  // namespace

/// One open watch, registered with its service's entry for its lifetime. Only the thread of its loop uses it.
class HealthService::Watch {
 public:
  Watch(HealthService& health, const std::string& service, const asio::any_io_executor& loop)
      : health_(health), service_(service), event_(std::make_shared<AsyncEvent>(loop)) {
    std::lock_guard lock(health_.mutex_);
    health_.entries_[service_].watches.insert(event_.get());
  }
  ~Watch() {
    std::lock_guard lock(health_.mutex_);
    const auto found = health_.entries_.find(service_);
    found->second.watches.erase(event_.get());
    if (found->second.watches.empty() && !found->second.status) health_.entries_.erase(found);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  struct State {
    ServingStatus status;
    /// True if the server shuts down: the status is the last one.
    bool is_last;
  };
  State state() const {
    std::lock_guard lock(health_.mutex_);
    const std::optional<ServingStatus> status = health_.reported_status(health_.entries_.at(service_));
    return {status.value_or(ServingStatus::service_unknown), health_.is_closed_};
  }
  AsyncEvent& event() noexcept { return *event_; }

 private:
  HealthService& health_;
  const std::string service_;
  const std::shared_ptr<AsyncEvent> event_;
};

std::optional<ServingStatus> HealthService::reported_status(const Entry& entry) const {
  if (is_shut_down_ && entry.status) return ServingStatus::not_serving;
  return entry.status;
}

void HealthService::set_status(std::string_view service, ServingStatus status) {
  if (status >= ServingStatus::service_unknown) {
    throw std::invalid_argument("set status of service " + std::string(service) + ": " +
                                std::string(to_string(status)) + " is for services without a status; use clear()");
  }
  std::lock_guard lock(mutex_);
  Entry& entry = entries_.try_emplace(std::string(service)).first->second;
  entry.status = status;
  for (AsyncEvent* event : entry.watches) event->set();
}

void HealthService::clear(std::string_view service) {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(service);
  if (found == entries_.end()) return;
  found->second.status.reset();
  for (AsyncEvent* event : found->second.watches) event->set();
  if (found->second.watches.empty()) entries_.erase(found);
}

std::optional<ServingStatus> HealthService::status(std::string_view service) const {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(service);
  return found != entries_.end() ? reported_status(found->second) : std::nullopt;
}

void HealthService::set_shut_down(bool is_shut_down) {
  is_shut_down_ = is_shut_down || is_closed_;
  for (const auto& [service, entry] : entries_) {
    for (AsyncEvent* event : entry.watches) event->set();
  }
}

void HealthService::shutdown() {
  std::lock_guard lock(mutex_);
  set_shut_down(true);
}

void HealthService::resume() {
  std::lock_guard lock(mutex_);
  set_shut_down(false);
}

void HealthService::close() {
  {
    std::lock_guard lock(mutex_);
    is_closed_ = true;
    set_shut_down(true);
  }
  notifier_.notify();
}

Status HealthService::check(const Request& request, Response& response, ServerContext&) {
  if (Status checked = check_name(request.service()); !checked.is_ok()) return checked;
  const std::optional<ServingStatus> found = status(request.service());
  if (!found) return {StatusCode::not_found, "check health: service " + request.service() + " is not known"};
  response.set_status(to_message(*found));
  return Status::ok();
}

asio::awaitable<Status> HealthService::watch(const Request& request, ServerWriter<Response>& writer,
                                             ServerContext& context) {
  if (Status checked = check_name(request.service()); !checked.is_ok()) co_return checked;
  Watch watch(*this, request.service(), context.executor());
  ShutdownNotifier::Subscription subscription(notifier_, context.executor());
  std::optional<ServingStatus> sent;
  while (true) {
    const Watch::State state = watch.state();
    if (sent != state.status) {
      Response response;
      response.set_status(to_message(state.status));
      const Status written = co_await writer.async_write(response, subscription.token());
      if (!written && !subscription.is_shut_down()) co_return written;
      sent = state.status;
    }
    if (state.is_last) co_return Status(StatusCode::unavailable, "watch health: the server is shutting down");
    co_await watch.event().wait();
  }
}

}  // namespace service

std::string_view to_string(ServingStatus status) noexcept {
  switch (status) {
    case ServingStatus::unknown:
      return "unknown";
    case ServingStatus::serving:
      return "serving";
    case ServingStatus::not_serving:
      return "not_serving";
    case ServingStatus::service_unknown:
      return "service_unknown";
  }
  return "unknown";
}

std::shared_ptr<Health> add_health(Server& server, const HealthOptions& options) {
  using service::HealthService;
  const auto health = std::make_shared<HealthService>();
  ServiceDefinition definition;
  definition.add<service::CheckMethod>(health, &HealthService::check);
  definition.add<service::WatchMethod>(health, &HealthService::watch, {.max_concurrent_calls = options.max_watches});
  server.add_service(std::move(definition));
  server.on_shutdown([weak = std::weak_ptr<HealthService>(health)] {
    if (const std::shared_ptr<HealthService> self = weak.lock()) self->close();
  });
  return health;
}

}  // namespace trunkline
