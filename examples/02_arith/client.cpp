// SPDX-License-Identifier: MIT
// The client's side of Arith: one call, then a thousand pipelined ones, each product checked.
#include "02_arith/arith.h"
#include "02_arith/arith.pb.h"

#include <trunkline/protobuf.h>

#include <chrono>
#include <iostream>
#include <vector>

namespace example {

bool call_arith(trunkline::Channel& channel) {
  using namespace std::chrono_literals;
  ArithRequest request;
  request.set_a(6);
  request.set_b(7);
  auto reply = channel.call<ArithResponse>("Arith.Multiply", request, {.timeout = 5s});
  if (!reply) {
    std::cerr << "arith: " << reply.status().to_string() << "\n";
    return false;
  }
  std::cout << "arith: 6 * 7 = " << reply->pro() << "\n";

  std::vector<ArithRequest> requests(1000);
  for (int i = 0; i < 1000; ++i)
    requests[static_cast<std::size_t>(i)].set_a(i), requests[static_cast<std::size_t>(i)].set_b(i);
  int right = 0;
  channel.call_many<ArithResponse>("Arith.Multiply", requests, 64,
                                   [&](std::size_t index, trunkline::Result<ArithResponse> answer) {
                                     const auto factor = static_cast<int>(index);
                                     if (answer && answer->pro() == factor * factor) ++right;
                                   });
  std::cout << "arith: " << right << " of 1000 squares are right\n";

  request.set_a(1 << 30);
  auto refused = channel.call<ArithResponse>("Arith.Multiply", request, {.timeout = 5s});
  std::cout << "arith: too large: " << refused.status().to_string() << "\n";
  return reply->pro() == 42 && right == 1000 && refused.status().code() == trunkline::StatusCode::out_of_range &&
         refused.status().details().size() == 1;
}

}  // namespace example
