// SPDX-License-Identifier: MIT
// Fuzz target: a native session as client, with peer and upper layer led by the input.
#include "fuzz/session_driver.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  trunkline::fuzz::SessionDriver(trunkline::session::Role::client, data, size).run();
  return 0;
}
