// SPDX-License-Identifier: MIT
// ServiceDefinition: the methods of one service, from which generated services are built.
#pragma once

#include <trunkline/detail/member_handler.h>
#include <trunkline/method_handler.h>
#include <trunkline/method_info.h>
#include <trunkline/method_options.h>

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline {

/// A type by which generated code describes one method: its messages, name and kind, which decide the forms that its
/// handler may have (see Server). A `description` and `has_no_side_effects` are optional, see MethodOptions.
template <class Description>
concept MethodDescription = requires {
  typename Description::Request;
  typename Description::Response;
  { Description::name } -> std::convertible_to<std::string_view>;
  { Description::kind } -> std::convertible_to<MethodKind>;
  { Description::is_idempotent } -> std::convertible_to<bool>;
};

/// The methods of one service, for Server::add_service().
class ServiceDefinition {
 public:
  struct Entry {
    std::string method;
    std::unique_ptr<MethodHandler> handler;
    MethodOptions options;
  };

  TRUNKLINE_API ServiceDefinition& add(std::string_view method, std::unique_ptr<MethodHandler> handler,
                                       MethodOptions options = {});

  /// Serves a method with a member function, in any form that Server accepts for the method's kind: plain, coroutine,
  /// or blocking (Blocking<Status>, ...). The method is idempotent, or has no side effects, if the description or the
  /// options say so. If the options have no description, Described::description is used where it exists.
  template <MethodDescription Described, class Service, class Member>
  ServiceDefinition& add(const std::shared_ptr<Service>& service, Member member, MethodOptions options = {}) {
    using Request = typename Described::Request;
    using Response = typename Described::Response;
    using Function = detail::BoundMember<Service, Member>;
    auto handler = detail::make_handler<Described::kind, Request, Response>(Function{service, member});
    options.idempotent = options.idempotent || Described::is_idempotent;
    if constexpr (requires { Described::has_no_side_effects; }) {
      options.no_side_effects = options.no_side_effects || Described::has_no_side_effects;
    }
    if constexpr (requires { Described::description; }) {
      if (options.description.empty()) options.description = Described::description;
    }
    return add(Described::name, std::move(handler), std::move(options));
  }

  /// Sets the purpose of the service, in the form of MethodOptions::description. Reflection reports it as the comment
  /// of the service.
  TRUNKLINE_API ServiceDefinition& describe(std::string_view description);
  const std::string& description() const noexcept { return description_; }

  /// Returns the options of a method that was added, to change them before the service is registered. Throws
  /// std::invalid_argument if there is no such method.
  TRUNKLINE_API MethodOptions& options_of(std::string_view method);

  std::vector<Entry> take() && { return std::move(entries_); }

 private:
  std::vector<Entry> entries_;
  std::string description_;
};

/// A class that derives from a generated service.
template <class Service>
concept GeneratedService = requires(std::shared_ptr<Service> service) {
  { Service::define(service) } -> std::same_as<ServiceDefinition>;
};

}  // namespace trunkline
