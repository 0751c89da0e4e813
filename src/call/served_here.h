// SPDX-License-Identifier: MIT
// ServedHere: the endpoints that the loop on this thread serves alone, so that a handler must not wait for it.
#pragma once

#include <trunkline/endpoint.h>

#include <string_view>
#include <utility>

namespace trunkline::call {

/// A server, as the blocking calls of its handlers see it.
class ServedHere {
 public:
  /// Returns true if nobody but this thread serves `endpoint`.
  virtual bool serves(const Endpoint& endpoint) const = 0;

  /// Returns true if a blocking call to `target`, an endpoint's text, on this thread would wait for the thread itself.
  static bool waits_for_itself(std::string_view target) {
    const ServedHere* const server = value();
    if (server == nullptr) return false;
    const Result<Endpoint> endpoint = Endpoint::parse(target);
    return endpoint.is_ok() && server->serves(endpoint->with_protocol(WireProtocol::native));
  }

  /// Lasts as long as a loop of `server` runs handlers on this thread. Null: none of its endpoints is served by this
  /// thread alone. Scopes nest.
  class Scope {
   public:
    explicit Scope(const ServedHere* server) noexcept : outer_(std::exchange(value(), server)) {}
    ~Scope() { value() = outer_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const ServedHere* outer_;
  };

 protected:
  ~ServedHere() = default;

 private:
  static const ServedHere*& value() noexcept;
};

}  // namespace trunkline::call
