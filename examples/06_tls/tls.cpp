// SPDX-License-Identifier: MIT
// TLS with client certificates: the server lets in only who shows one signed by its authority, and greets by its name.
// Usage: tls CERTIFICATE_FOLDER (made by examples/06_tls/make_certificates)
#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <chrono>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " CERTIFICATE_FOLDER\n";
    return 2;
  }
  const std::string folder = std::string(argv[1]) + "/";

  trunkline::ServerOptions server_options;
  server_options.tls = {.certificate_file = folder + "server.crt",
                        .private_key_file = folder + "server.key",
                        .ca_file = folder + "ca.crt",
                        .client_certificate = trunkline::ClientCertificate::required};
  trunkline::Server server(server_options);
  server.handle<trunkline::Empty, std::string>("WhoAmI",
                                               [](const trunkline::Empty&, trunkline::ServerContext& context) {
                                                 return std::string(context.certificate_subject());
                                               });
  const trunkline::Endpoint endpoint = server.listen("tls://localhost:0");
  if (!server.start()) return 1;

  trunkline::ChannelOptions known;
  known.tls = {.certificate_file = folder + "client.crt",
               .private_key_file = folder + "client.key",
               .ca_file = folder + "ca.crt"};
  trunkline::Channel channel(endpoint.to_string(), known);
  auto name = channel.call<std::string>("WhoAmI", trunkline::Empty(), {.timeout = 10s});
  std::cout << "with a certificate: " << (name ? *name : name.status().to_string()) << "\n";

  trunkline::ChannelOptions stranger;
  stranger.tls.ca_file = folder + "ca.crt";
  trunkline::Channel refused(endpoint.to_string(), stranger);
  auto nothing = refused.call<std::string>("WhoAmI", trunkline::Empty(), {.timeout = 10s});
  std::cout << "without one: " << nothing.status().to_string() << "\n";

  trunkline::Channel distrustful(endpoint.to_string());  // trusts the system's authorities only
  auto untrusted = distrustful.call<std::string>("WhoAmI", trunkline::Empty(), {.timeout = 10s});
  std::cout << "not trusting the server: " << untrusted.status().to_string() << "\n";

  const bool right = name && name->find("CN=ann") != std::string::npos && !nothing && !untrusted;
  return right ? 0 : 1;
}
