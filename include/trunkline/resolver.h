// SPDX-License-Identifier: MIT
// Resolver: finds the servers that a name stands for. ResolverRegistry: the resolvers of a channel, by scheme.
#pragma once

#include <trunkline/endpoint.h>
#include <trunkline/result.h>
#include <trunkline/target.h>

#include <asio/any_io_executor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline {

struct ChannelOptions;

namespace net {
class Loop;
}

/// A server as a resolver has found it.
struct ResolvedServer {
  Endpoint endpoint{};
  /// The server's share of the calls relative to the others; more than 0, at most 1e6.
  double weight = 1;
  /// The zone in which the server runs, such as "eu-west-1a"; empty: the zone is unknown.
  std::string zone{};
  /// Servers of the lowest number get the calls as long as they can take them.
  std::uint32_t priority = 0;
  /// The name of the server for TLS and for the authority of gRPC calls; empty: the host of the endpoint is its name.
  std::string host_name{};

  bool operator==(const ResolvedServer&) const = default;
};

/// The servers that a name stands for at present.
struct Resolution {
  std::vector<ResolvedServer> servers{};
  /// gRPC's service config (JSON); empty: there is none.
  std::string service_config{};
};

/// A resolver reports here. Any thread may report at any time; reports after the end of the channel are ignored.
class ResolverUpdates {
 public:
  virtual ~ResolverUpdates() = default;
  /// Replaces what was reported before. Servers that are no longer listed get no further calls; their open calls may
  /// finish. Duplicates are dropped.
  virtual void update(Resolution resolution) = 0;
  /// Reports that the name could not be resolved. Servers that are known stay. If none are known, calls that do not
  /// wait fail with `error`.
  virtual void fail(Status error) = 0;
};

/// Resolves one name for one channel, until it is destroyed. The channel calls it on its loop's thread and destroys it
/// there, or on the thread of the channel's destructor.
class Resolver {
 public:
  virtual ~Resolver() = default;
  /// Begins to resolve, and goes on as long as this object lives: reports the servers as soon as they are known, and
  /// again when they change. The channel calls it once, with its first call. It must not block.
  virtual void start(std::shared_ptr<ResolverUpdates> updates) = 0;
  /// Tells the resolver that a connection to a server has failed, so its last report may be out of date. The channel
  /// calls it often: the resolver itself limits how often it looks again.
  virtual void refresh() {}
};

/// The arguments from which a factory makes a resolver.
struct ResolverContext {
  const Target& target;
  const ChannelOptions& options;
  /// The executor of the channel's loop, which runs only while calls are under way or a thread runs it.
  asio::any_io_executor executor;
  /// The channel's loop, which only the library's own resolvers use.
  net::Loop& loop;
};

/// An ordered set of resolvers. A value: copy it, add to it, put it into ChannelOptions.
class TRUNKLINE_API ResolverRegistry {
 public:
  /// Makes a resolver. Error: invalid_argument if the target's authority, path or query is not one of this resolver's.
  using Factory = std::function<Result<std::unique_ptr<Resolver>>(const ResolverContext& context)>;

  /// Makes an empty registry. The channel has the resolvers of the library in any case: see ChannelOptions::resolvers.
  ResolverRegistry() = default;
  /// Returns the resolvers of the library: "list" and those of "file", "dns" and "etcd" that the build includes.
  static const ResolverRegistry& built_in();

  /// Adds the resolver, or replaces that of the same scheme. Throws std::invalid_argument for a null factory, and for a
  /// scheme that is not 1 to 32 of [a-z0-9.-] with a letter first, or that is one of an endpoint.
  ResolverRegistry& add(std::string_view scheme, Factory factory);
  /// Returns null if there is no resolver for this scheme.
  const Factory* find(std::string_view scheme) const noexcept;
  /// Returns the schemes in the order in which their resolvers were added.
  std::vector<std::string> schemes() const;

 private:
  std::vector<std::pair<std::string, Factory>> factories_;
};

}  // namespace trunkline
