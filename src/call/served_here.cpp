// SPDX-License-Identifier: MIT
// ServedHere: the value of each thread.
#include "call/served_here.h"

namespace trunkline::call {

const ServedHere*& ServedHere::value() noexcept {
  static thread_local const ServedHere* server = nullptr;
  return server;
}

}  // namespace trunkline::call
