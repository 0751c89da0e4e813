// SPDX-License-Identifier: MIT
// Checks and watches of statuses.
#include "service/health_service.h"

#include <stdexcept>
#include <utility>

namespace trunkline::service {

namespace {

v1::HealthCheckResponse::ServingStatus wire_form(ServingStatus status) {
  return static_cast<v1::HealthCheckResponse::ServingStatus>(status);
}

/// Of a caller's: it is kept as long as a watch is open.
constexpr std::size_t longest_name = 1024;

Status check_name(const std::string& service) {
  if (service.size() <= longest_name) return {};
  return {StatusCode::invalid_argument, "ask for health: the service's name of " + std::to_string(service.size()) +
                                            " bytes exceeds " + std::to_string(longest_name)};
}

}  // namespace

/// One watch's place among those of its service. Everything but changed() is for its loop.
class HealthService::Watch {
 public:
  Watch(HealthService& health, const std::string& service, const asio::any_io_executor& loop)
      : health_(health), service_(service), bell_(std::make_shared<Bell>(loop)) {
    std::lock_guard lock(health_.mutex_);
    health_.entries_[service_].watches.insert(bell_.get());
  }
  ~Watch() {
    std::lock_guard lock(health_.mutex_);
    const auto found = health_.entries_.find(service_);
    found->second.watches.erase(bell_.get());
    if (found->second.watches.empty() && !found->second.status) health_.entries_.erase(found);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  struct Look {
    ServingStatus status;
    bool is_last;
  };
  Look look() const {
    std::lock_guard lock(health_.mutex_);
    const std::optional<ServingStatus> told = health_.told(health_.entries_.at(service_));
    return {told.value_or(ServingStatus::service_unknown), health_.is_closed_};
  }
  Bell& bell() noexcept { return *bell_; }

 private:
  HealthService& health_;
  const std::string service_;
  const std::shared_ptr<Bell> bell_;
};

std::optional<ServingStatus> HealthService::told(const Entry& entry) const {
  if (is_leaving_ && entry.status) return ServingStatus::not_serving;
  return entry.status;
}

void HealthService::set_status(std::string_view service, ServingStatus status) {
  if (status >= ServingStatus::service_unknown) {
    throw std::invalid_argument("set status of service " + std::string(service) + ": " +
                                std::string(to_string(status)) + " is for services without one, use clear()");
  }
  std::lock_guard lock(mutex_);
  Entry& entry = entries_.try_emplace(std::string(service)).first->second;
  entry.status = status;
  for (Bell* bell : entry.watches) bell->ring();
}

void HealthService::clear(std::string_view service) {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(service);
  if (found == entries_.end()) return;
  found->second.status.reset();
  for (Bell* bell : found->second.watches) bell->ring();
  if (found->second.watches.empty()) entries_.erase(found);
}

std::optional<ServingStatus> HealthService::status(std::string_view service) const {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(service);
  return found != entries_.end() ? told(found->second) : std::nullopt;
}

void HealthService::set_leaving(bool is_leaving) {
  is_leaving_ = is_leaving || is_closed_;
  for (const auto& [service, entry] : entries_) {
    for (Bell* bell : entry.watches) bell->ring();
  }
}

void HealthService::shutdown() {
  std::lock_guard lock(mutex_);
  set_leaving(true);
}

void HealthService::resume() {
  std::lock_guard lock(mutex_);
  set_leaving(false);
}

void HealthService::close() {
  {
    std::lock_guard lock(mutex_);
    is_closed_ = true;
    set_leaving(true);
  }
  ending_.begin();
}

Status HealthService::check(const Request& request, Response& response, ServerContext&) {
  if (Status checked = check_name(request.service()); !checked.is_ok()) return checked;
  const std::optional<ServingStatus> found = status(request.service());
  if (!found) return {StatusCode::not_found, "check health: service " + request.service() + " is not known"};
  response.set_status(wire_form(*found));
  return Status::ok();
}

asio::awaitable<Status> HealthService::watch(const Request& request, ServerWriter<Response>& writer,
                                             ServerContext& context) {
  if (Status checked = check_name(request.service()); !checked.is_ok()) co_return checked;
  Watch watch(*this, request.service(), context.executor());
  Ending::Stream open(ending_, context.executor());
  std::optional<ServingStatus> sent;
  while (true) {
    const Watch::Look seen = watch.look();
    if (sent != seen.status) {
      Response response;
      response.set_status(wire_form(seen.status));
      const Status written = co_await writer.async_write(response, open.token());
      if (!written && !open.is_over()) co_return written;
      sent = seen.status;
    }
    if (seen.is_last) co_return Status(StatusCode::unavailable, "watch health: the server is shutting down");
    co_await watch.bell().wait();
  }
}

}  // namespace trunkline::service
