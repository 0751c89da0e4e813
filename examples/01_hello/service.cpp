// SPDX-License-Identifier: MIT
// The server's side of example.Hello: a plain function and a function that refuses.
#include "01_hello/hello.h"
#include "01_hello/hello.pb.h"

#include <trunkline/protobuf.h>

namespace example {

void add_hello(trunkline::Server& server) {
  server.handle<HelloRequest, HelloResponse>(
      "example.Hello/Greet", [](const HelloRequest& request, HelloResponse& response, trunkline::ServerContext&) {
        if (request.name().empty()) {
          return trunkline::Status(trunkline::StatusCode::invalid_argument, "greet: name is empty");
        }
        response.set_greeting("hello, " + request.name());
        return trunkline::Status::ok();
      });
}

}  // namespace example
