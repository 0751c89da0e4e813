// SPDX-License-Identifier: MIT
// The simulation's command line: simulation [--seeds N] [--first S] [--seed S] [--verbose].
#include "simulation/channel_run.h"
#include "simulation/plan.h"
#include "simulation/retained_bytes.h"
#include "simulation/session_run.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

namespace trunkline::simulation {
namespace {

struct Arguments {
  std::uint64_t seeds = 1000;
  std::uint64_t first = 1;
  bool verbose = false;
};

bool parse(int count, char** values, Arguments& out) {
  for (int i = 1; i < count; ++i) {
    const std::string_view name = values[i];
    if (name == "--verbose") {
      out.verbose = true;
      continue;
    }
    if (i + 1 >= count) return false;
    const std::uint64_t value = std::strtoull(values[++i], nullptr, 10);
    if (name == "--seeds") {
      out.seeds = value;
    } else if (name == "--first") {
      out.first = value;
    } else if (name == "--seed") {
      out.first = value;
      out.seeds = 1;
    } else {
      return false;
    }
  }
  return true;
}

/// False: the run has broken a rule.
bool run_seed(std::uint64_t seed, bool verbose) {
  try {
    run_sessions(seed, verbose);
    run_channel(seed, verbose);
    return true;
  } catch (const std::exception& violation) {
    std::printf("seed %llu: %s\nreplay: simulation --seed %llu --verbose\n", static_cast<unsigned long long>(seed),
                violation.what(), static_cast<unsigned long long>(seed));
    return false;
  }
}

int run(const Arguments& arguments) {
  std::uint64_t failures = 0, runs = 0;
  while (runs < arguments.seeds && failures < 10) {
    const std::uint64_t seed = arguments.first + runs++;
    const std::size_t before = retained_bytes();
    if (!run_seed(seed, arguments.verbose)) {
      ++failures;
      continue;
    }
    const std::size_t after = retained_bytes();
    if (runs > 11 && after > before) {  // the first runs allocate what lives as long as the program
      std::printf("seed %llu: %zu bytes are retained\n", static_cast<unsigned long long>(seed), after - before);
      ++failures;
    }
  }
  std::printf("%llu seeds from %llu: %llu failed\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(arguments.first), static_cast<unsigned long long>(failures));
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace trunkline::simulation

int main(int count, char** values) {
  trunkline::simulation::Arguments arguments;
  if (!trunkline::simulation::parse(count, values, arguments)) {
    std::fprintf(stderr, "usage: simulation [--seeds N] [--first S] [--seed S] [--verbose]\n");
    return 2;
  }
  return trunkline::simulation::run(arguments);
}
