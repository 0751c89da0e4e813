// SPDX-License-Identifier: MIT
// Blocking methods that wait for an event or for their cancellation, and methods about time and signals.
#include "certificates.h"
#include "service.h"

#include <trunkline/channel.h>

#include <unistd.h>

#include <csignal>
#include <string>
#include <string_view>

namespace trunkline::interop {

namespace {

void hang(EventBoard& board, const std::string& name, ServerContext& context) {
  board.tell(name + " begun", seconds_left(context));
  board.wait_until_cancelled(context);
  board.tell(name + " cancelled");
}

Status hang_stream(EventBoard& board, ServerStream<Slice, Slice>& stream, ServerContext& context) {
  const std::string name(context.metadata().get("name").value_or(""));
  board.tell(name + " begun", seconds_left(context));
  Status status;
  for (const Slice& message : stream.messages(status)) {
    if (Status written = stream.write(message); !written) break;
  }
  if (context.is_cancelled()) board.tell(name + " cancelled");
  return status;
}

Status flood(EventBoard& board, const std::string& name, ServerWriter<Slice>& responses, ServerContext& context) {
  board.tell(name + " begun");
  const Slice message = Slice::from_string(std::string(64 << 10, 'x'));
  Status written;
  while (written) written = responses.write(message);
  if (context.is_cancelled()) board.tell(name + " cancelled");
  return written;
}

Result<Value> nested(const Value& endpoint, ServerContext& context) {
  const Value own = seconds_left(context);
  ChannelOptions options;
  options.tls = client_tls();
  Channel channel(endpoint.as_string(), options);
  const Result<Value> inner = channel.call<Value>("interop.Test/TimeLeft", Empty());
  if (!inner) return inner.status();
  return Value::array({own, *inner});
}

}  // namespace

Value seconds_left(const ServerContext& context) {
  if (context.deadline() == std::chrono::steady_clock::time_point::max()) return {};
  return std::chrono::duration<double>(context.time_left()).count();
}

void add_waiting_methods(Server& server, EventBoard& board) {
  server.handle_blocking<Value, Empty>("interop.Test/Hang", [&board](const Value& name, ServerContext& context) {
    hang(board, name.as_string(), context);
    return Status(StatusCode::cancelled, "nobody waits");
  });
  server.handle_stream<Slice, Slice>("interop.Test/HangStream",
                                     [&board](ServerStream<Slice, Slice>& stream, ServerContext& context) {
                                       return hang_stream(board, stream, context);
                                     });
  server.handle_server_stream<Slice, Slice>(
      "interop.Test/Flood", [&board](const Slice& name, ServerWriter<Slice>& responses, ServerContext& context) {
        return flood(board, name.to_string(), responses, context);
      });
  server.handle_blocking<Value, Value>("interop.Test/Hold", [&board](const Value& name, ServerContext& context) {
    board.tell(name.as_string() + " begun");
    return board.wait_for(name.as_string(), context);
  });
  server.handle_blocking<Value, Value>("interop.Test/Wait", [&board](const Value& name, ServerContext& context) {
    return board.wait_for(name.as_string(), context);
  });
  server.handle<Value, Empty>("interop.Test/Tell", [&board](const Value& event, ServerContext&) {
    board.tell(event.at("name").as_string(), event.at("value"));
    return Status::ok();
  });
  server.handle<Empty, Value>("interop.Test/TimeLeft",
                              [](const Empty&, ServerContext& context) { return seconds_left(context); });
  server.handle_blocking<Value, Value>("interop.Test/Nested", &nested);
  server.handle<Value, Empty>("interop.Test/Signal", [](const Value& number, ServerContext&) {
    kill(getpid(), static_cast<int>(number.as_int64()));
    return Status::ok();
  });
}

}  // namespace trunkline::interop
