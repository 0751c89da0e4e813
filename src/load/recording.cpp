// SPDX-License-Identifier: MIT
// Recording: adds recordings up.
#include "load/recording.h"

#include <algorithm>

namespace trunkline::load {

void Recording::count_failure(const Status& status) {
  ++failed;
  const std::size_t code = std::min<std::size_t>(static_cast<std::size_t>(status.code()), status_codes - 1);
  ++by_code[code];
  if (first_text[code].empty()) first_text[code] = status.message();
}

void Recording::merge(const Recording& other) {
  calls += other.calls;
  failed += other.failed;
  messages += other.messages;
  unsent += other.unsent;
  waited += other.waited;
  bytes_sent += other.bytes_sent;
  bytes_received += other.bytes_received;
  for (std::size_t code = 0; code < status_codes; ++code) {
    by_code[code] += other.by_code[code];
    if (first_text[code].empty()) first_text[code] = other.first_text[code];
  }
  latency.merge(other.latency);
  uncorrected.merge(other.uncorrected);
}

void Recording::clear() noexcept {
  calls = failed = messages = unsent = waited = bytes_sent = bytes_received = 0;
  by_code.fill(0);
  for (std::string& text : first_text) text.clear();
  latency.clear();
  uncorrected.clear();
}

}  // namespace trunkline::load
