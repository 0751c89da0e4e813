// SPDX-License-Identifier: MIT
// The client's side of example.Countdown: reads until the server has finished, then asks how it ended.
#include "04_countdown/countdown.h"
#include "countdown.trunkline.h"

#include <chrono>
#include <iostream>

namespace example {

bool call_countdown(trunkline::Channel& channel) {
  CountdownRequest request;
  request.set_from(1000);
  auto ticks = Countdown::Client(channel).start(request, {.timeout = std::chrono::seconds(30)});
  std::uint32_t expected = 1000;
  std::uint32_t read = 0;
  for (auto tick = ticks.read(); tick && tick->has_value(); tick = ticks.read()) {
    if ((*tick)->left() == expected--) ++read;
  }
  const trunkline::Status status = ticks.finish();
  std::cout << "countdown: " << read << " ticks, " << status.to_string()
            << ", trailing ticks=" << ticks.trailing().get("ticks").value_or("none") << "\n";
  return status.is_ok() && read == 1000 && ticks.trailing().get("ticks") == "1000";
}

}  // namespace example
