// SPDX-License-Identifier: MIT
// Makes the errors for a lack of memory.
#include "session/native/receive_memory.h"

#include <string>

namespace trunkline::session::native {

Status ReceiveMemory::exceeded_by(std::uint64_t bytes) const {
  return {StatusCode::resource_exhausted, "receive message: " + std::to_string(retained_ + bytes) +
                                              " bytes of unfinished and unread messages exceed max_unread_bytes " +
                                              std::to_string(limits_.max_unread_bytes)};
}

Status ReceiveMemory::short_of_memory() const {
  if (share_.is_account_used_up()) {
    return {StatusCode::resource_exhausted,
            "call: the peer's address holds its share of the memory, max_memory_percent_per_peer"};
  }
  return {StatusCode::resource_exhausted,
          "call: more than half of max_memory_bytes is in use, which is left to calls that have begun"};
}

}  // namespace trunkline::session::native
