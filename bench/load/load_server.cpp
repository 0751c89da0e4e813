// SPDX-License-Identifier: MIT
// load_server: echoes LoadMessage on one loop, by the public API alone.
#include "load_echo.pb.h"
#include "load_options.h"

#include <trunkline/protobuf.h>
#include <trunkline/server.h>

#include <chrono>
#include <cstdio>
#include <exception>

int main(int count, char** arguments) {
  using trunkline::bench::LoadMessage;
  const auto options = trunkline::bench::parse_load_options("serve", count, arguments);
  if (!options) return 2;
  try {
    trunkline::ServerOptions server_options;
    server_options.transport.congestion_control = options->congestion;
    if (options->busy_poll) server_options.loop.busy_poll = std::chrono::microseconds(50);
    trunkline::Server server(server_options);
    server.handle<LoadMessage, LoadMessage>(
        "trunkline.bench.LoadEcho/Echo",
        [](const LoadMessage& request, LoadMessage& response, trunkline::ServerContext&) {
          response.set_payload(request.payload());
          return trunkline::Status::ok();
        });
    std::printf("listening on %s\n", server.listen(options->endpoint).to_string().c_str());
    std::fflush(stdout);
    const trunkline::Status status = server.run();
    if (!status) std::fprintf(stderr, "load_server: %s\n", status.to_string().c_str());
    return status ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "load_server: %s\n", error.what());
    return 1;
  }
}
