// SPDX-License-Identifier: MIT
// Converts arguments to ChannelOptions.
#include "cli/arguments/connection_arguments.h"

#include "cli/output/terminal.h"
#include "cli/process/failure.h"
#include "cli/schema/payload.h"

#include <trunkline/endpoint.h>

#include <algorithm>
#include <chrono>

namespace trunkline::cli::arguments {
namespace {

constexpr const char* group = "Connection";
/// A server that is silent for this time is considered unreachable. It is short because a person waits.
constexpr std::chrono::seconds handshake_timeout{5};
constexpr std::chrono::seconds connect_timeout{10};

}  // namespace

void ConnectionArguments::declare(CLI::App& app) {
  app.add_option("endpoint", typed_endpoint_, "tcp://HOST:PORT, tls://HOST:PORT, unix:///PATH, unix:@NAME or HOST:PORT")
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
  app.add_option("--max-message-bytes", max_message_bytes_, "Largest response to accept, in bytes")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT32_MAX}).description(""))
      ->capture_default_str()
      ->group(group);
}

std::string ConnectionArguments::endpoint() const {
  std::string uri = typed_endpoint_;
  if (uri.find("://") == std::string::npos && !uri.starts_with("unix:") && !uri.starts_with("grpc+unix:"))
    uri.insert(0, "tcp://");
  const Result<Endpoint> parsed = Endpoint::parse(uri);
  if (!parsed) throw process::usage_error(output::escaped(std::string(parsed.status().message())));
  const bool has_port = parsed->scheme() == Scheme::tcp || parsed->scheme() == Scheme::tls;
  if (has_port && parsed->port() == 0) throw process::usage_error("endpoint '" + uri + "': cannot connect to port 0");
  if (parsed->scheme() == Scheme::inproc)
    throw process::usage_error("endpoint '" + uri + "': inproc endpoints exist only within one process");
  return uri;
}

ChannelOptions ConnectionArguments::options(const std::string& uri) const {
  const bool wants_tls = !tls_.ca_file.empty() || !tls_.certificate_file.empty() || !tls_.private_key_file.empty() ||
                         !tls_.server_name.empty() || is_insecure_;
  if (wants_tls && !uri.starts_with("tls:") && !uri.starts_with("grpcs:")) {
    throw process::usage_error("endpoint '" + uri +
                               "': --ca, --cert, --key, --server-name and --insecure need tls:// or grpcs://");
  }
  if (tls_.certificate_file.empty() != tls_.private_key_file.empty())
    throw process::usage_error("--cert and --key require each other");
  ChannelOptions options;
  options.tls = tls_;
  options.tls.verify_peer = !is_insecure_;
  options.codecs = schema::payload_codecs();
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
