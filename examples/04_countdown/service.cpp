// SPDX-License-Identifier: MIT
// The server's side of example.Countdown: writes wait for the client to read.
#include "04_countdown/countdown.h"
#include "04_countdown/countdown.pb.h"

#include <trunkline/protobuf.h>
#include <trunkline/server_stream.h>

#include <asio/use_awaitable.hpp>

namespace example {

void add_countdown(trunkline::Server& server) {
  server.handle_server_stream<CountdownRequest, Tick>(
      "example.Countdown/Start",
      [](const CountdownRequest& request, trunkline::ServerWriter<Tick>& ticks,
         trunkline::ServerContext& context) -> asio::awaitable<trunkline::Status> {
        Tick tick;
        for (std::uint32_t left = request.from(); left > 0; --left) {
          tick.set_left(left);
          if (trunkline::Status written = co_await ticks.async_write(tick, asio::use_awaitable); !written)
            co_return written;
        }
        context.add_trailing_metadata("ticks", std::to_string(request.from()));
        co_return trunkline::Status::ok();
      });
}

}  // namespace example
