// SPDX-License-Identifier: MIT
// wall_time_after(): writes the system's clock as text.
#include "base/wall_time.h"

#include <array>
#include <ctime>

namespace trunkline::base {

std::string wall_time_after(Duration time) {
  using std::chrono::system_clock;
  const std::time_t at =
      system_clock::to_time_t(system_clock::now() + std::chrono::round<system_clock::duration>(time));
  std::tm fields{};
  gmtime_r(&at, &fields);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &fields);
  return text.data();
}

}  // namespace trunkline::base
