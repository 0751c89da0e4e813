// SPDX-License-Identifier: MIT
// What may be true of a call.
#include "checker.h"

namespace trunkline::soak {

Tallies check(std::span<const std::uint8_t> client, const std::vector<std::span<const std::uint8_t>>& servers) {
  Tallies tallies{};
  for (std::size_t i = 0; i < client.size() && client[i] != 0; ++i) {
    unsigned runs = 0;
    for (const auto& server : servers) runs += i < server.size() ? server[i] : 0u;
    const Kind kind = kind_of(client[i]);
    Tally& tally = tallies.at(static_cast<std::size_t>(kind));
    ++tally.calls;
    if (runs > 1 && kind != Kind::idempotent) ++tally.doubled;
    switch (outcome_of(client[i])) {
      case Outcome::ok:
        ++tally.ok;
        // Ok says of a one-way call only that it was handed to a connection, which may have been lost since.
        if (runs == 0 && kind != Kind::one_way) ++tally.lost;
        break;
      case Outcome::failed:
        ++tally.failed;
        break;
      case Outcome::not_run:
        ++tally.failed;
        if (runs > 0) ++tally.denied;
        break;
      case Outcome::wrong:
        ++tally.wrong;
        break;
      case Outcome::none:
      case Outcome::begun:
      case Outcome::late:
        ++tally.hung;
    }
  }
  return tallies;
}

}  // namespace trunkline::soak
