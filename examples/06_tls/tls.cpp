// SPDX-License-Identifier: MIT
// TLS with client certificates: the server lets in only who shows one signed by its authority, and greets by its name.
// Usage: tls CERTIFICATE_FOLDER [serve ENDPOINT | call ENDPOINT] (the folder made by examples/06_tls/make_certificates)
#include "two_sides.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <chrono>
#include <iostream>
#include <string>

namespace {

using namespace std::chrono_literals;

trunkline::ServerOptions server_options(const std::string& folder) {
  trunkline::ServerOptions options;
  options.tls = {.certificate_file = folder + "server.crt",
                 .private_key_file = folder + "server.key",
                 .ca_file = folder + "ca.crt",
                 .client_certificate = trunkline::ClientCertificate::required};
  return options;
}

bool call(const std::string& folder, const std::string& endpoint) {
  trunkline::ChannelOptions known;
  known.tls = {.certificate_file = folder + "client.crt",
               .private_key_file = folder + "client.key",
               .ca_file = folder + "ca.crt"};
  trunkline::Channel channel(endpoint, known);
  auto name = channel.call<std::string>("WhoAmI", trunkline::Empty(), {.timeout = 10s});
  std::cout << "with a certificate: " << (name ? *name : name.status().to_string()) << "\n";

  trunkline::ChannelOptions stranger;
  stranger.tls.ca_file = folder + "ca.crt";
  trunkline::Channel refused(endpoint, stranger);
  auto nothing = refused.call<std::string>("WhoAmI", trunkline::Empty(), {.timeout = 10s});
  std::cout << "without one: " << nothing.status().to_string() << "\n";

  trunkline::Channel distrustful(endpoint);  // trusts the system's authorities only
  auto untrusted = distrustful.call<std::string>("WhoAmI", trunkline::Empty(), {.timeout = 10s});
  std::cout << "not trusting the server: " << untrusted.status().to_string() << "\n";
  return name && name->find("CN=ann") != std::string::npos && !nothing && !untrusted;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: " << argv[0] << " CERTIFICATE_FOLDER [serve ENDPOINT | call ENDPOINT]\n";
    return 2;
  }
  const std::string folder = std::string(argv[1]) + "/";
  trunkline::Server server(server_options(folder));
  server.handle<trunkline::Empty, std::string>("WhoAmI",
                                               [](const trunkline::Empty&, trunkline::ServerContext& context) {
                                                 return std::string(context.certificate_subject());
                                               });
  return example::run_sides({argv + 2, argv + argc}, server, "tls://localhost:0",
                            [&](const std::string& endpoint) { return call(folder, endpoint); });
}
