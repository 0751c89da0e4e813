// SPDX-License-Identifier: MIT
// ConnectionArguments: converts arguments to ChannelOptions.
#include "cli/arguments/connection_arguments.h"

#include "cli/output/terminal.h"
#include "cli/process/failure.h"
#include "cli/schema/packed_message.h"

#include <trunkline/endpoint.h>
#include <trunkline/target.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace trunkline::cli::arguments {
namespace {

constexpr const char* group = "Connection";
/// A server that is silent for this time is considered unreachable. It is short because a person waits.
constexpr std::chrono::seconds handshake_timeout{5};
constexpr std::chrono::seconds connect_timeout{10};

/// Returns true if the servers may be called by `scheme`, which a file states for each server.
bool may_use(const std::string& uri, std::string_view scheme) {
  const Target target = Target::parse(uri).value();
  if (!target.is_endpoint && target.scheme != "list") {
    return target.server_scheme == scheme || target.scheme != "dns";
  }
  for (auto at = uri.find(scheme); at != std::string::npos; at = uri.find(scheme, at + 1)) {
    const char next = at + scheme.size() < uri.size() ? uri[at + scheme.size()] : ' ';
    if ((at == 0 || uri[at - 1] == ',') && (next == ':' || next == '+')) return true;
  }
  return false;
}

void check_endpoint(const Endpoint& endpoint, const std::string& uri) {
  const bool has_port = endpoint.scheme() == Scheme::tcp || endpoint.scheme() == Scheme::tls;
  if (has_port && endpoint.port() == 0) throw process::usage_error("endpoint '" + uri + "': cannot connect to port 0");
  if (endpoint.scheme() == Scheme::inproc)
    throw process::usage_error("endpoint '" + uri + "': inproc endpoints exist only within one process");
}

}  // namespace

void ConnectionArguments::declare(CLI::App& app) {
  app.add_option("endpoint", typed_endpoint_,
                 "tcp://HOST:PORT, tls://HOST:PORT, unix:///PATH, unix:@NAME or HOST:PORT; of a gRPC server "
                 "grpc://HOST:PORT, grpcs://HOST:PORT or grpc+unix:///PATH; of a Connect server http://HOST or "
                 "https://HOST, of "
                 "gRPC-Web grpc-web://HOST:PORT or grpc-webs://HOST:PORT; over WebSocket ws://HOST:PORT or "
                 "wss://HOST:PORT; of several servers HOST:PORT,HOST:PORT, "
                 "dns:///NAME:PORT, file:///PATH or etcd://MEMBERS/PREFIX")
      ->type_name("")
      ->required();
  app.add_option("--ca", tls_.ca_file, "Certificate authorities of the server (PEM); default: the system's trust store")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--cert", tls_.certificate_file, "Client certificate (PEM)")->type_name("FILE")->group(group);
  app.add_option("--key", tls_.private_key_file, "Private key of the client certificate (PEM)")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--server-name", tls_.server_name, "Name to send and to verify instead of the endpoint's host")
      ->type_name("NAME")
      ->group(group);
  app.add_flag("--insecure", is_insecure_, "Do not verify the server's certificate")->group(group);
  app.add_option("--authority", authority_, "Over HTTP: the authority to send instead of the endpoint's host and port")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--user-agent", user_agent_, "Over HTTP: what to say that the client is, instead of trunkline/VERSION")
      ->type_name("TEXT")
      ->group(group);
  app.add_option("--balancing", balancing_, "How calls are spread over several servers: " + balancing_policies())
      ->type_name("POLICY")
      ->group(group);
  app.add_option("--zone", zone_, "Where this machine is: servers of the same zone are preferred")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--max-message-bytes", max_message_bytes_, "Largest response to accept, in bytes")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT32_MAX}).description(""))
      ->capture_default_str()
      ->group(group);
}

std::string ConnectionArguments::endpoint() const {
  std::string uri = typed_endpoint_;
  const bool is_socket = uri.starts_with("unix:") || uri.substr(0, uri.find(':')).ends_with("+unix");
  if (uri.find("://") == std::string::npos && !is_socket) uri.insert(0, "tcp://");
  const Result<Target> parsed = Target::parse(uri);
  if (!parsed) throw process::usage_error(output::escaped(std::string(parsed.status().message())));
  if (parsed->is_endpoint) {
    check_endpoint(parsed->endpoint, uri);
    return uri;
  }
  try {
    // The channel opens nothing: its resolver reports what is wrong with the name.
    const Channel unused(uri);
  } catch (const StatusError& error) {
    throw process::usage_error(output::escaped(std::string(error.status().message())));
  }
  return uri;
}

ChannelOptions ConnectionArguments::options(const std::string& uri) const {
  const bool wants_tls = !tls_.ca_file.empty() || !tls_.certificate_file.empty() || !tls_.private_key_file.empty() ||
                         !tls_.server_name.empty() || is_insecure_;
  const auto may_use_one_of = [&uri](std::initializer_list<std::string_view> schemes) {
    return std::any_of(schemes.begin(), schemes.end(), [&uri](std::string_view one) { return may_use(uri, one); });
  };
  if (wants_tls && !may_use_one_of({"tls", "grpcs", "wss", "https", "grpc-webs"})) {
    throw process::usage_error("endpoint '" + uri +
                               "': --ca, --cert, --key, --server-name and --insecure need tls://, grpcs://, wss://, "
                               "https:// or grpc-webs://");
  }
  if (tls_.certificate_file.empty() != tls_.private_key_file.empty())
    throw process::usage_error("--cert and --key require each other");
  const bool speaks_http = may_use_one_of({"grpc", "grpcs", "http", "https", "grpc-web", "grpc-webs"});
  const bool sends_authority = speaks_http || may_use_one_of({"ws", "wss"});
  if (!authority_.empty() && !sends_authority) {
    throw process::usage_error("endpoint '" + uri +
                               "': --authority needs a protocol over HTTP: grpc://, ws://, http:// or grpc-web://, or "
                               "these with TLS");
  }
  if (!user_agent_.empty() && !speaks_http) {
    throw process::usage_error("endpoint '" + uri +
                               "': --user-agent needs a protocol over HTTP: grpc://, http:// or grpc-web://, or these "
                               "with TLS");
  }
  ChannelOptions options;
  options.log = nullptr;  // The commands say themselves what has failed.
  if (!balancing_.empty()) {
    const std::optional<BalancingPolicy> policy = balancing_policy(balancing_);
    if (!policy) {
      throw process::usage_error("--balancing is '" + output::escaped(balancing_) + "', none of " +
                                 balancing_policies());
    }
    options.balancing.policy = *policy;
  }
  options.balancing.zone = zone_;
  options.authority = authority_;
  options.user_agent = user_agent_;
  options.tls = tls_;
  options.tls.verify_peer = !is_insecure_;
  options.codecs = schema::packed_message_codecs();
  options.limits.handshake_timeout = handshake_timeout;
  options.connect_timeout = connect_timeout;
  options.limits.max_message_bytes = max_message_bytes_;
  options.limits.max_unread_bytes = std::max<std::size_t>(options.limits.max_unread_bytes, max_message_bytes_);
  return options;
}

std::unique_ptr<Channel> ConnectionArguments::connect() const {
  const std::string uri = endpoint();
  return std::make_unique<Channel>(uri, options(uri));
}

}  // namespace trunkline::cli::arguments
