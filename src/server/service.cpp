// SPDX-License-Identifier: MIT
// ServiceDefinition: the functions that do not depend on the types of handlers, compiled once here.
#include <trunkline/service.h>

#include <stdexcept>
#include <utility>

namespace trunkline {

ServiceDefinition& ServiceDefinition::add(std::string_view method, std::unique_ptr<MethodHandler> handler,
                                          MethodOptions options) {
  entries_.push_back({std::string(method), std::move(handler), std::move(options)});
  return *this;
}

ServiceDefinition& ServiceDefinition::describe(std::string_view description) {
  description_ = description;
  return *this;
}

MethodOptions& ServiceDefinition::options_of(std::string_view method) {
  for (Entry& entry : entries_) {
    if (entry.method == method) return entry.options;
  }
  throw std::invalid_argument("options of method " + std::string(method) + ": the service has no such method");
}

}  // namespace trunkline
