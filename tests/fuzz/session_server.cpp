// SPDX-License-Identifier: MIT
// Fuzz target: a native session as server, with peer and upper layer led by the input.
#include "fuzz/session_driver.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  trunkline::fuzz::SessionDriver(trunkline::session::Role::server, data, size).run();
  return 0;
}
