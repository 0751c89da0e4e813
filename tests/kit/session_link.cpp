// SPDX-License-Identifier: MIT
// Delays pieces of bytes, and injects faults.
#include "kit/session_link.h"

#include <algorithm>

namespace trunkline::kit {

void SessionLink::send(std::string bytes, base::TimePoint now) {
  if (is_cut_ || bytes.empty()) return;
  if (on_bytes) on_bytes(bytes);
  if (corrupt_at_ && *corrupt_at_ >= sent_ && *corrupt_at_ < sent_ + bytes.size()) {
    char& byte = bytes[static_cast<std::size_t>(*corrupt_at_ - sent_)];
    byte = static_cast<char>(static_cast<std::uint8_t>(byte) ^ corrupt_mask_);
  }
  const bool cuts = cut_at_ && *cut_at_ < sent_ + bytes.size();
  if (cuts) bytes.resize(static_cast<std::size_t>(*cut_at_ > sent_ ? *cut_at_ - sent_ : 0));
  sent_ += bytes.size();
  in_flight_bytes_ += bytes.size();
  if (!bytes.empty()) segments_.push_back({now + latency_, std::move(bytes)});
  // What was sent before the cut still arrives; then the stream ends.
  if (cuts) is_closed_ = true;
}

void SessionLink::cut() noexcept {
  is_cut_ = true;
  segments_.clear();
  in_flight_bytes_ = 0;
}

std::string SessionLink::receive(std::size_t max_bytes, base::TimePoint now) {
  std::string out;
  while (!segments_.empty() && segments_.front().arrival <= now && out.size() < max_bytes) {
    std::string& bytes = segments_.front().bytes;
    const std::size_t size = std::min(bytes.size(), max_bytes - out.size());
    out.append(bytes, 0, size);
    if (size == bytes.size()) {
      segments_.pop_front();
    } else {
      bytes.erase(0, size);
    }
  }
  in_flight_bytes_ -= out.size();
  return out;
}

base::TimePoint SessionLink::next_arrival() const noexcept {
  return segments_.empty() ? base::never : segments_.front().arrival;
}

}  // namespace trunkline::kit
