// SPDX-License-Identifier: MIT
// Assigns outbound method ids.
#include "session/native/outbound_method_ids.h"

namespace trunkline::session::native {

std::uint32_t OutboundMethodIds::assign(std::uint32_t key, std::uint32_t max_methods) {
  if (key == 0 || newest_ >= max_methods) return 0;
  if (key >= ids_.size()) ids_.resize(key + 1);
  return ids_[key] = ++newest_;
}

}  // namespace trunkline::session::native
