// SPDX-License-Identifier: MIT
// The server's side of example.Arith: the product, or out_of_range with a detail that holds the operands.
#include "02_arith/arith.h"
#include "arith.trunkline.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

namespace example {

namespace {

class Calculator final : public Arith::Service {
 public:
  trunkline::Status multiply(const ArithRequest& request, ArithResponse& response, trunkline::ServerContext&) {
    const std::int64_t product = std::int64_t{request.a()} * request.b();
    if (product < std::numeric_limits<std::int32_t>::min() || product > std::numeric_limits<std::int32_t>::max()) {
      trunkline::Status status(trunkline::StatusCode::out_of_range,
                               "multiply: product " + std::to_string(product) + " exceeds int32");
      trunkline::add_detail(status, request);
      return status;
    }
    response.set_pro(static_cast<std::int32_t>(product));
    return trunkline::Status::ok();
  }
};

}  // namespace

void add_arith(trunkline::Server& server) { server.add_service(std::make_shared<Calculator>()); }

}  // namespace example
