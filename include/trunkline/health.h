// SPDX-License-Identifier: MIT
// Health: reports to callers whether a server's services are ready, by gRPC's health checking protocol.
#pragma once

#include <trunkline/detail/export.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace trunkline {

class Server;

enum class ServingStatus : std::uint8_t {
  unknown = 0,
  serving = 1,
  not_serving = 2,
  /// A watch of a service that has no status reports this value.
  service_unknown = 3,
};

/// Returns "serving" and so on; "unknown" for a value outside the enumeration.
TRUNKLINE_API std::string_view to_string(ServingStatus status) noexcept;

struct HealthOptions {
  /// The number of watches that may be open at once; more are refused with resource_exhausted. 0: no limit.
  std::size_t max_watches = 10'000;
};

/// Holds the statuses of services. It is thread-safe and may outlive its server. The name of a service is any text. The
/// name "" means the server as a whole, whose status is serving at first.
class TRUNKLINE_API Health {
 public:
  virtual ~Health() = default;

  /// Sets the status of a service and notifies its watches of a change. Throws std::invalid_argument for
  /// service_unknown; use clear() instead.
  virtual void set_status(std::string_view service, ServingStatus status) = 0;
  /// Removes the status of a service.
  virtual void clear(std::string_view service) = 0;
  /// Returns the status that a check returns; nullopt if a check would fail with not_found.
  virtual std::optional<ServingStatus> status(std::string_view service) const = 0;
  /// Reports all services that have a status as not serving from now on. Statuses that are set meanwhile count after
  /// resume(). Call it some time before Server::shutdown(), so that clients can go elsewhere; that does the same and
  /// then ends all watches with unavailable.
  virtual void shutdown() = 0;
  /// Ends shutdown(). Has no effect once Server::shutdown() has begun.
  virtual void resume() = 0;
};

/// Registers the service grpc.health.v1.Health. Needs a build with protobuf. Throws std::invalid_argument if its
/// methods are registered already.
TRUNKLINE_API std::shared_ptr<Health> add_health(Server& server, const HealthOptions& options = {});

}  // namespace trunkline
