// SPDX-License-Identifier: MIT
// The client's side of example.Arith: one call, then a thousand pipelined ones, each product checked.
#include "02_arith/arith.h"
#include "arith.trunkline.h"

#include <chrono>
#include <iostream>
#include <vector>

namespace example {

bool call_arith(trunkline::Channel& channel) {
  using namespace std::chrono_literals;
  const Arith::Client client(channel);
  ArithRequest request;
  request.set_a(6);
  request.set_b(7);
  auto reply = client.multiply(request, {.timeout = 5s});
  if (!reply) {
    std::cerr << "arith: " << reply.status().to_string() << "\n";
    return false;
  }
  std::cout << "arith: 6 * 7 = " << reply->pro() << "\n";

  std::vector<ArithRequest> requests(1000);
  for (int i = 0; i < 1000; ++i)
    requests[static_cast<std::size_t>(i)].set_a(i), requests[static_cast<std::size_t>(i)].set_b(i);
  int right = 0;
  client.multiply.many(requests, 64, [&](std::size_t index, trunkline::Result<ArithResponse> answer) {
    const auto factor = static_cast<int>(index);
    if (answer && answer->pro() == factor * factor) ++right;
  });
  std::cout << "arith: " << right << " of 1000 squares are right\n";

  request.set_a(1 << 30);
  auto refused = client.multiply(request, {.timeout = 5s});
  std::cout << "arith: too large: " << refused.status().to_string() << "\n";
  const auto operands = trunkline::find_detail<ArithRequest>(refused.status());
  return reply->pro() == 42 && right == 1000 && refused.status().code() == trunkline::StatusCode::out_of_range &&
         operands && operands->a() == 1 << 30;
}

}  // namespace example
