// SPDX-License-Identifier: MIT
// Many calls at once on one connection.
#include "client.h"

#include <array>
#include <vector>

namespace trunkline::interop {

namespace {

void pipelined_calls(Client& client) {
  std::vector<std::string> requests(1000);
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i] = std::to_string(i);
  std::size_t responses = 0;

  client.channel().call_many<std::string>("interop.Test/Echo", requests, 256,
                                          [&](std::size_t index, const Result<std::string>& response) {
                                            expect(index == responses++, "out of order");
                                            expect_ok(response.status());
                                            expect(*response == requests[index], "another response");
                                          });

  expect(responses == 1000, "other than 1000 responses");
}

void calls_beside_large_ones(Client& client) {
  const std::string large(4u << 20, 'l');
  std::vector<std::future<Result<std::string>>> larges;
  std::vector<std::future<Result<std::string>>> smalls;
  for (int i = 0; i < 100; ++i) {
    if (i % 50 == 0) larges.push_back(client.channel().submit<std::string>("interop.Test/Echo", large));
    smalls.push_back(client.channel().submit<std::string>("interop.Test/Echo", std::to_string(i)));
  }

  for (int i = 0; i < 100; ++i) {
    expect(expect_value(smalls[static_cast<std::size_t>(i)].get()) == std::to_string(i), "another response");
  }
  for (auto& each : larges) expect(expect_value(each.get()) == large, "another large response");
}

void calls_that_wait_for_each_other(Client& client) {
  // Each response needs a call that is made later.
  std::vector<std::string> names;
  std::vector<std::future<Result<Value>>> held;
  for (int i = 0; i < 4; ++i) {
    names.push_back(client.fresh_name());
    held.push_back(client.channel().submit<Value>("interop.Test/Hold", Value(names.back())));
  }
  for (std::size_t i = names.size(); i-- > 0;) {
    client.wait_for(names[i] + " begun");
    client.tell(names[i], Value(i));
    expect(expect_value(held[i].get()) == Value(i), "another response");
  }
}

constexpr std::array cases{
    Case{"pipelined_calls", &pipelined_calls},
    Case{"calls_beside_large_ones", &calls_beside_large_ones},
    Case{"calls_that_wait_for_each_other", &calls_that_wait_for_each_other},
};

}  // namespace

std::span<const Case> many_cases() { return cases; }

}  // namespace trunkline::interop
