// SPDX-License-Identifier: MIT
// ServerLoad: the average of a server's latency.
#include "balance/server_load.h"

#include <algorithm>

namespace trunkline::balance {

void ServerLoad::note_unserved(Outcome outcome, base::Duration latency, base::TimePoint now) noexcept {
  const bool is_longer = static_cast<double>(latency.count()) >= latency_;
  const bool says_enough = outcome != Outcome::abandoned || latency_ > 0;
  if (is_longer && says_enough) raise(latency, now);
}

void ServerLoad::observe(base::Duration latency, base::TimePoint now) noexcept {
  const double sample = static_cast<double>(latency.count());
  if (is_doubted_) return observe_in_doubt(latency, now);
  if (sample < latency_) return lower(sample, now, latency_memory);
  const bool is_sudden = latency_ > 0 && sample > sudden_increase * latency_;
  raise(latency, now);
  is_doubted_ = is_sudden;
  if (is_sudden) doubted_since_ = now;
}

void ServerLoad::observe_in_doubt(base::Duration latency, base::TimePoint now) noexcept {
  const double sample = static_cast<double>(latency.count());
  // The call may have been held up together with the call that began the doubt.
  if (now - latency <= doubted_since_) {
    latency_ = std::max(latency_, sample);
  } else if (sample >= latency_) {
    raise(latency, now);
  } else if (2 * sample >= latency_) {
    is_doubted_ = false;
    lower(sample, now, latency_memory);
  } else {
    lower(sample, now, doubt_memory);
    is_doubted_ = latency_ > sudden_increase * sample;
  }
}

void ServerLoad::raise(base::Duration latency, base::TimePoint now) noexcept {
  latency_ = static_cast<double>(latency.count());
  is_doubted_ = false;
  measured_ = now;
}

void ServerLoad::lower(double sample, base::TimePoint now, base::Duration memory) noexcept {
  const double kept = kept_since_measured(now, memory);
  latency_ = latency_ * kept + sample * (1 - kept);
  measured_ = now;
}

}  // namespace trunkline::balance
