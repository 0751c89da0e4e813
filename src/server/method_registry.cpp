// SPDX-License-Identifier: MIT
// MethodRegistry: registers and removes methods, and takes snapshots.
#include "server/method_registry.h"

#include "base/utf8.h"
#include "call/health_method.h"
#include "server/route_path.h"
#include "wire/header_block.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace trunkline::server {

namespace {

void check_name(std::string_view name) {
  if (wire::is_method_name(name)) return;
  throw std::invalid_argument("register method: name of " + std::to_string(name.size()) +
                              " bytes is not 1 to 1024 bytes of UTF-8");
}

/// Checks the description of `what`. Reflection sends it in messages, whose texts are UTF-8, and tools print it.
void check_description(const std::string& what, std::string_view description) {
  const auto is_forbidden = [](char character) {
    return base::is_ascii_control(static_cast<unsigned char>(character)) && character != '\n' && character != '\t';
  };
  const bool is_text = base::is_utf8(description);
  if (is_text && std::none_of(description.begin(), description.end(), is_forbidden)) return;
  throw std::invalid_argument("register " + what + ": its description " +
                              (is_text ? "holds a control character" : "is not UTF-8"));
}

void check_execution(std::string_view name, Execution execution) {
  if (execution == Execution::blocking) return;
  throw std::invalid_argument(
      "register method " + std::string(name) + ": MethodOptions::blocking is set, but " +
      (execution == Execution::coroutine ? "a coroutine does not block" : "its handler is made to run on the loop"));
}

}  // namespace

void MethodRegistry::add(ServiceDefinition service) {
  const std::string description = service.description();
  check_description("service", description);
  std::vector<std::shared_ptr<RegisteredMethod>> made;
  for (ServiceDefinition::Entry& entry : std::move(service).take()) {
    check_name(entry.method);
    if (entry.handler == nullptr) throw std::invalid_argument("register method " + entry.method + ": handler is null");
    if (entry.options.blocking) check_execution(entry.method, entry.handler->shape().execution);
    check_description("method " + entry.method, entry.options.description);
    made.push_back(std::make_shared<RegisteredMethod>());
    made.back()->name = std::move(entry.method);
    made.back()->is_background = made.back()->name == call::health_watch_method;
    made.back()->options = std::move(entry.options);
    made.back()->service_description = description;
    made.back()->handler = std::move(entry.handler);
  }
  add_all(std::move(made));
}

void MethodRegistry::add_all(std::vector<std::shared_ptr<RegisteredMethod>> made) {
  std::lock_guard lock(mutex_);
  Methods all = methods_;
  for (std::shared_ptr<RegisteredMethod>& method : made) {
    if (all.try_emplace(method->name, method).second) continue;
    throw std::invalid_argument("register method " + method->name + ": it is registered already");
  }
  methods_.swap(all);
  snapshot_.reset();
  version_.fetch_add(1, std::memory_order_release);
}

void MethodRegistry::add(std::string_view name, std::unique_ptr<MethodHandler> handler, const MethodOptions& options) {
  add(std::move(ServiceDefinition().add(name, std::move(handler), options)));
}

void MethodRegistry::add_route(std::string_view http_method, std::string_view path,
                               std::unique_ptr<MethodHandler> handler, const MethodOptions& options) {
  if (const Status status = check_route(http_method, path); !status.is_ok()) {
    throw std::invalid_argument(std::string(status.message()));
  }
  auto route = std::make_shared<RegisteredMethod>();
  route->name = std::string(http_method).append(" ").append(path);
  if (handler == nullptr) throw std::invalid_argument("register route " + route->name + ": handler is null");
  const MethodShape& shape = handler->shape();
  const bool takes_bytes = shape.request->kind == MessageKind::bytes && shape.response->kind == MessageKind::bytes;
  if (shape.kind != MethodKind::unary || !takes_bytes) {
    throw std::invalid_argument("register route " + route->name + ": its handler is not unary, from bytes to bytes");
  }
  if (options.blocking) check_execution(route->name, shape.execution);
  check_description("route " + route->name, options.description);
  route->options = options;
  route->handler = std::move(handler);
  route->is_route = true;
  add_all({std::move(route)});
}

void MethodRegistry::add_fallback(std::unique_ptr<MethodHandler> handler, const MethodOptions& options) {
  if (handler == nullptr) throw std::invalid_argument("register fallback: handler is null");
  if (options.blocking) check_execution("fallback", handler->shape().execution);
  auto method = std::make_shared<RegisteredMethod>();
  method->options = options;
  method->handler = std::move(handler);
  std::lock_guard lock(mutex_);
  if (!methods_.try_emplace(std::string(), std::move(method)).second)
    throw std::invalid_argument("register fallback: there is one already");
  snapshot_.reset();
  version_.fetch_add(1, std::memory_order_release);
}

bool MethodRegistry::remove(std::string_view name) {
  // The pointer is declared before the lock, so that the handler is destroyed without it.
  std::shared_ptr<RegisteredMethod> removed;
  std::lock_guard lock(mutex_);
  auto found = methods_.find(name);
  if (found == methods_.end()) return false;
  removed = std::move(found->second);
  methods_.erase(found);
  snapshot_.reset();
  version_.fetch_add(1, std::memory_order_release);
  return true;
}

bool MethodRegistry::has(std::string_view name) const {
  std::lock_guard lock(mutex_);
  return methods_.find(name) != methods_.end();
}

std::vector<MethodInfo> MethodRegistry::list() const {
  std::vector<MethodInfo> all;
  {
    std::lock_guard lock(mutex_);
    all.reserve(methods_.size());
    for (const auto& [name, method] : methods_) {
      if (!name.empty() && !method->is_route) all.push_back(method->info());
    }
  }
  std::sort(all.begin(), all.end(), [](const MethodInfo& a, const MethodInfo& b) { return a.name < b.name; });
  return all;
}

MethodRegistry::Snapshot MethodRegistry::snapshot() const {
  std::lock_guard lock(mutex_);
  if (snapshot_ == nullptr) snapshot_ = std::make_shared<const Methods>(methods_);
  return snapshot_;
}

}  // namespace trunkline::server
