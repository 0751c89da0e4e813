// SPDX-License-Identifier: MIT
// The calls of ShopLoad.
#include "shop_load.h"

#include "shop.trunkline.h"

#include <trunkline/plain.h>

#include <cmath>
#include <cstdint>
#include <random>

namespace trunkline::interop {

namespace {

using namespace std::chrono_literals;

/// One call. Its outcome is for the statistics of the server alone.
void call_once(Channel& channel, std::mt19937& random) {
  const shop::v1::Orders::Client orders(channel);
  const unsigned share = random() % 100;
  if (share < 60) {
    static_cast<void>(channel.call<std::string>("Greet", std::string("load"), {.timeout = 5s}));
  } else if (share < 90) {
    shop::v1::GetRequest request;
    request.set_number(random() % 50);
    static_cast<void>(orders.get(request, {.timeout = 5s}));
  } else if (share < 98) {
    shop::v1::PlaceRequest request;
    if (random() % 2 == 1) request.add_lines();
    static_cast<void>(orders.place(request, {.timeout = 5s}));
  } else {
    const std::chrono::milliseconds timeout = random() % 2 == 1 ? 200ms : 5s;
    static_cast<void>(channel.call<std::string>("Report", std::string("load"), {.timeout = timeout}));
  }
}

}  // namespace

ShopLoad::~ShopLoad() {
  has_ended_ = true;
  for (std::thread& caller : callers_) caller.join();
}

void ShopLoad::begin(const std::string& endpoint, std::chrono::duration<double> time) {
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(time);
  for (unsigned seed = 0; seed < 4; ++seed) {
    callers_.emplace_back([this, endpoint, end, seed] { call(endpoint, end, seed); });
  }
}

void ShopLoad::call(const std::string& endpoint, std::chrono::steady_clock::time_point end, unsigned seed) const {
  Channel channel(endpoint);
  std::mt19937 random(seed);
  for (auto now = std::chrono::steady_clock::now(); now < end && !has_ended_; now = std::chrono::steady_clock::now()) {
    call_once(channel, random);
    // The rate rises and falls, as the charts should show.
    const double seconds = std::chrono::duration<double>(now.time_since_epoch()).count();
    std::this_thread::sleep_for(10ms * (1.2 + std::sin(seconds / 5)));
  }
}

}  // namespace trunkline::interop
