// SPDX-License-Identifier: MIT
// The server's side of example.Countdown: writes wait for the client to read.
#include "04_countdown/countdown.h"
#include "countdown.trunkline.h"

#include <asio/use_awaitable.hpp>

#include <memory>
#include <string>

namespace example {

namespace {

class Clock final : public Countdown::Service {
 public:
  asio::awaitable<trunkline::Status> start(const CountdownRequest& request, trunkline::ServerWriter<Tick>& ticks,
                                           trunkline::ServerContext& context) {
    Tick tick;
    for (std::uint32_t left = request.from(); left > 0; --left) {
      tick.set_left(left);
      if (trunkline::Status written = co_await ticks.async_write(tick, asio::use_awaitable); !written)
        co_return written;
    }
    context.add_trailing_metadata("ticks", std::to_string(request.from()));
    co_return trunkline::Status::ok();
  }
};

}  // namespace

void add_countdown(trunkline::Server& server) { server.add_service(std::make_shared<Clock>()); }

}  // namespace example
