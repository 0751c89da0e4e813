// SPDX-License-Identifier: MIT
// The client's side of example.Hello: a call, a call that is refused, and a future.
#include "01_hello/hello.h"
#include "01_hello/hello.pb.h"

#include <trunkline/protobuf.h>

#include <chrono>
#include <iostream>

namespace example {

bool call_hello(trunkline::Channel& channel) {
  using namespace std::chrono_literals;
  HelloRequest request;
  request.set_name("world");

  auto reply = channel.call<HelloResponse>("example.Hello/Greet", request, {.timeout = 5s});
  if (!reply) {
    std::cerr << "hello: " << reply.status().to_string() << "\n";
    return false;
  }
  std::cout << "hello: " << reply->greeting() << "\n";

  auto refused = channel.call<HelloResponse>("example.Hello/Greet", HelloRequest(), {.timeout = 5s});
  std::cout << "hello: without a name: " << refused.status().to_string() << "\n";

  auto later = channel.submit<HelloResponse>("example.Hello/Greet", request, {.timeout = 5s});
  return reply->greeting() == "hello, world" && refused.status().code() == trunkline::StatusCode::invalid_argument &&
         later.get().value().greeting() == reply->greeting();
}

}  // namespace example
