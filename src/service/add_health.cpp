// SPDX-License-Identifier: MIT
// The health service's place in a server.
#include "service/health_service.h"

namespace trunkline {

namespace service {

namespace {

struct Check {
  using Request = HealthService::Request;
  using Response = HealthService::Response;
  static constexpr MethodKind kind = MethodKind::unary;
  static constexpr bool is_idempotent = true;
  static constexpr std::string_view description = "The status now. NOT_FOUND for a service that has none.";
  static constexpr std::string_view name = "grpc.health.v1.Health/Check";
};

struct Watch {
  using Request = HealthService::Request;
  using Response = HealthService::Response;
  static constexpr MethodKind kind = MethodKind::server_stream;
  static constexpr bool is_idempotent = false;
  static constexpr std::string_view description =
      "The status now and after each change, until the caller ends the call. SERVICE_UNKNOWN for a service that has "
      "none "
      "yet.";
  static constexpr std::string_view name = "grpc.health.v1.Health/Watch";
};

}  // namespace

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
  definition.add<service::Check>(health, &HealthService::check);
  definition.add<service::Watch>(health, &HealthService::watch, {.max_concurrent_calls = options.max_watches});
  server.add_service(std::move(definition));
  server.on_shutdown([watched = std::weak_ptr<HealthService>(health)] {
    if (const std::shared_ptr<HealthService> alive = watched.lock()) alive->close();
  });
  return health;
}

}  // namespace trunkline
