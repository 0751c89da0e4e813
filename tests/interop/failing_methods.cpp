// SPDX-License-Identifier: MIT
// Methods that end with an error.
#include "service.h"

#include <trunkline/protobuf.h>

#include <google/protobuf/duration.pb.h>

#include <stdexcept>
#include <string>

namespace trunkline::interop {

namespace {

Status failure(const Value& request) {
  const auto code = static_cast<StatusCode>(request.at("code").as_int64());
  google::protobuf::Duration duration;
  duration.set_seconds(static_cast<std::int64_t>(code));
  duration.set_nanos(7);
  Status status(code, request.at("message").as_string());
  add_detail(status, duration).add_detail("example.com/opaque", std::string("\x00\xff", 2));
  return status;
}

}  // namespace

void add_failing_methods(Server& server) {
  server.handle<Value, Empty>("interop.Test/Fail", [](const Value& request, ServerContext& context) {
    echo_metadata(context);
    return failure(request);
  });
  server.handle_server_stream<Value, Value>(
      "interop.Test/FailLate", [](const Value& request, ServerWriter<Value>& responses, ServerContext& context) {
        echo_metadata(context);
        if (Status written = responses.write(1); !written) return written;
        return failure(request);
      });
  server.handle<Empty, Empty>("interop.Test/Throw",
                              [](const Empty&, ServerContext&) -> Status { throw std::runtime_error("secret"); });
}

}  // namespace trunkline::interop
