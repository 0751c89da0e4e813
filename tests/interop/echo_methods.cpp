// SPDX-License-Identifier: MIT
// Methods that return their request, as plain functions.
#include "service.h"

#include <trunkline/protobuf.h>

#include <google/protobuf/wrappers.pb.h>

#include <string>

namespace trunkline::interop {

void echo_metadata(ServerContext& context) {
  for (const auto& [name, value] : context.metadata()) {
    if (name.starts_with("leading-")) context.add_leading_metadata(name, value);
    if (name.starts_with("trailing-")) context.add_trailing_metadata(name, value);
  }
}

void add_echo_methods(Server& server) {
  using google::protobuf::StringValue;
  server.handle<Empty, Empty>("interop.Test/Nothing", [](const Empty&, ServerContext&) { return Status::ok(); });
  server.handle<Slice, Slice>("interop.Test/Echo", [](const Slice& request, ServerContext& context) {
    echo_metadata(context);
    return request;
  });
  server.handle<Value, Value>("interop.Test/EchoValue", [](const Value& request, ServerContext&) { return request; });
  server.handle<StringValue, StringValue>("interop.Test/EchoText",
                                          [](const StringValue& request, StringValue& response, ServerContext&) {
                                            response = request;
                                            return Status::ok();
                                          });
  server.handle<std::string, std::string>(
      "interop.Test/Make", [](const std::string& size, ServerContext&) { return std::string(std::stoul(size), 'x'); });
}

}  // namespace trunkline::interop
