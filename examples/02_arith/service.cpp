// SPDX-License-Identifier: MIT
// The server's side of Arith: the product, or out_of_range with a detail that names the operands.
#include "02_arith/arith.h"
#include "02_arith/arith.pb.h"

#include <trunkline/protobuf.h>

#include <cstdint>
#include <limits>
#include <string>

namespace example {

void add_arith(trunkline::Server& server) {
  server.handle<ArithRequest, ArithResponse>(
      "Arith.Multiply", [](const ArithRequest& request, ArithResponse& response, trunkline::ServerContext&) {
        const std::int64_t product = std::int64_t{request.a()} * request.b();
        if (product < std::numeric_limits<std::int32_t>::min() || product > std::numeric_limits<std::int32_t>::max()) {
          trunkline::Status status(trunkline::StatusCode::out_of_range,
                                   "multiply: product " + std::to_string(product) + " exceeds int32");
          status.add_detail("type.googleapis.com/example.ArithRequest", request.SerializeAsString());
          return status;
        }
        response.set_pro(static_cast<std::int32_t>(product));
        return trunkline::Status::ok();
      });
}

}  // namespace example
