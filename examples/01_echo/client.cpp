// SPDX-License-Identifier: MIT
// The client's side of example.Echo: a call, a call that is refused, and a future.
#include "01_echo/echo.h"
#include "echo.trunkline.h"

#include <chrono>
#include <iostream>

namespace example {

bool call_echo(trunkline::Channel& channel) {
  using namespace std::chrono_literals;
  const Echo::Client client(channel);
  EchoRequest request;
  request.set_text("hello");

  auto reply = client.say(request, {.timeout = 5s});
  if (!reply) {
    std::cerr << "echo: " << reply.status().to_string() << "\n";
    return false;
  }
  std::cout << "echo: " << reply->text() << "\n";

  auto refused = client.say(EchoRequest(), {.timeout = 5s});
  std::cout << "echo: of nothing: " << refused.status().to_string() << "\n";

  auto later = client.say.submit(request, {.timeout = 5s});
  return reply->text() == "hello" && refused.status().code() == trunkline::StatusCode::invalid_argument &&
         later.get().value().text() == reply->text();
}

}  // namespace example
