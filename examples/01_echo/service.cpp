// SPDX-License-Identifier: MIT
// The server's side of example.Echo: a plain function that may refuse.
#include "01_echo/echo.h"
#include "echo.trunkline.h"

#include <memory>

namespace example {

namespace {

class Wall final : public Echo::Service {
 public:
  trunkline::Status say(const EchoRequest& request, EchoResponse& response, trunkline::ServerContext&) {
    if (request.text().empty()) return {trunkline::StatusCode::invalid_argument, "say: text is empty"};
    response.set_text(request.text());
    return trunkline::Status::ok();
  }
};

}  // namespace

void add_echo(trunkline::Server& server) { server.add_service(std::make_shared<Wall>()); }

}  // namespace example
