// SPDX-License-Identifier: MIT
// Admits long messages, or lets them wait.
#include "session/grpc/receive_memory.h"

#include <utility>

namespace trunkline::session::grpc {
namespace {

/// Returns true if the application gets the next message of the stream only after it has read others.
bool is_behind_unread(const GrpcStream& stream) noexcept { return stream.debt > 0; }

}  // namespace

void ReceiveMemory::begin(GrpcStream& stream, bool is_request, base::TimePoint now) {
  const std::uint32_t prefix = stream.assembly.prefix_bytes();
  windows_.give_back(prefix);
  windows_.give_back(stream, prefix);
  stream.assembly.begin();
  stream.is_admitted = false;
  stream.is_request = is_request;
  stream.is_free_to_wait = false;
  stream.withheld = 0;
  stream.early = 0;
  admit_or_wait(stream, now);
}

void ReceiveMemory::extend(GrpcStream& stream, std::uint32_t length, base::TimePoint now) {
  if (!stream.is_admitted) return stream.assembly.expect(length);
  const auto gathered = static_cast<std::uint32_t>(stream.assembly.gathered());
  admitted_ -= stream.assembly.length();
  come_ -= gathered;
  --admitted_streams_;
  stream.assembly.expect(length);
  stream.is_admitted = false;
  admit_or_wait(stream, now);
  if (admitted_streams_ == 0) share_.free_reserve();
  if (stream.is_admitted) return;
  // The gathered bytes count as waiting until there is room for the whole body, although their windows are open again.
  stream.early = gathered;
  waiting_bytes_ += gathered;
}

void ReceiveMemory::admit_or_wait(GrpcStream& stream, base::TimePoint now) {
  Places& places = stream.is_request ? waiting_requests_ : waiting_;
  stream.waits_since = now;
  const bool is_next = first_of(waiting_) == nullptr && (!stream.is_request || first_of(waiting_requests_) == nullptr);
  if (is_next && try_admit(stream, now)) return;
  constexpr std::size_t few_places = 64;
  if (this->places() >= 2 * waiting_streams_ + few_places) {
    drop_places_of_gone(waiting_);
    drop_places_of_gone(waiting_requests_);
  }
  ++waiting_streams_;
  if (is_behind_unread(stream) && !has_room_for(stream.assembly.length())) return wait_behind_unread(stream);
  places.push_back(stream.id);
}

/// Lets the message wait for the reader of its stream, in no queue and without the connection's window.
void ReceiveMemory::wait_behind_unread(GrpcStream& stream) {
  ++behind_unread_;
  stream.is_behind_unread = true;
  if (std::exchange(stream.is_free_to_wait, true)) return;
  windows_.drop_waiting(stream.withheld);
}

void ReceiveMemory::unblock(GrpcStream& stream) {
  if (!stream.is_behind_unread || is_behind_unread(stream)) return;
  stream.is_behind_unread = false;
  --behind_unread_;
  waiting_.push_back(stream.id);
}

/// Drops the places of streams that do not wait. The others keep their order.
void ReceiveMemory::drop_places_of_gone(Places& places) {
  for (std::size_t left = places.size(); left > 0; --left) {
    const CallId id = places.pop_front();
    if (is_waiting(id)) places.push_back(id);
  }
}

/// Returns the first stream that waits there, or null if none does.
GrpcStream* ReceiveMemory::first_of(Places& places) {
  while (!places.empty() && !is_waiting(places.front())) places.pop_front();
  return places.empty() ? nullptr : streams_.find(places.front());
}

bool ReceiveMemory::is_waiting(CallId id) const noexcept {
  const GrpcStream* const stream = streams_.find(id);
  return stream != nullptr && stream->assembly.is_gathering() && !stream->is_admitted && !stream->is_behind_unread;
}

bool ReceiveMemory::try_admit(GrpcStream& stream, base::TimePoint now) {
  const std::size_t length = stream.assembly.length();
  // One message always has room, whatever is unread: otherwise a connection could wait for itself.
  if (!has_room_for(length) && (admitted_streams_ > 0 || is_behind_unread(stream))) {
    shortage_ = MemoryShare::Shortage::nothing;
    return false;
  }
  if (!try_take(stream, now)) {
    shortage_ = share_.shortage();
    return false;
  }
  stream.is_admitted = true;
  admitted_ += length;
  come_ += stream.assembly.gathered();
  ++admitted_streams_;
  return true;
}

bool ReceiveMemory::try_take(const GrpcStream& stream, base::TimePoint now) {
  const std::size_t length = stream.assembly.length();
  const base::Duration waited = now - stream.waits_since;
  if (!stream.is_request || waited >= too_late) return share_.try_take(length);
  return waited >= late ? share_.try_take_for_late_request(length) : share_.try_take_for_request(length);
}

void ReceiveMemory::add(GrpcStream& stream, std::uint32_t bytes) {
  if (stream.is_admitted) {
    come_ += bytes;
    progress_ += bytes;
    windows_.give_back(bytes);
    windows_.give_back(stream, bytes);
    return;
  }
  waiting_bytes_ += bytes;
  stream.withheld += bytes;
  if (stream.is_free_to_wait) {
    windows_.give_back(bytes);
  } else {
    windows_.add_waiting(bytes);
  }
}

std::uint32_t ReceiveMemory::end(GrpcStream& stream) {
  if (!stream.assembly.is_gathering()) {
    const std::uint32_t prefix = stream.assembly.prefix_bytes();
    windows_.give_back(prefix);
    return prefix;
  }
  if (stream.is_admitted) {
    admitted_ -= stream.assembly.length();
    come_ -= stream.assembly.gathered();
    if (--admitted_streams_ == 0) share_.free_reserve();
    return 0;
  }
  return drop_waiting(stream);
}

/// The message waits no longer. Returns by how much the stream's window is still to be opened for it.
std::uint32_t ReceiveMemory::drop_waiting(GrpcStream& stream) {
  --waiting_streams_;
  if (std::exchange(stream.is_behind_unread, false)) --behind_unread_;
  waiting_bytes_ -= stream.withheld + std::exchange(stream.early, 0);
  if (!stream.is_free_to_wait) windows_.drop_waiting(stream.withheld);
  return std::exchange(stream.withheld, 0);
}

bool ReceiveMemory::admit_waiting(base::TimePoint now) {
  const auto is_too_late = [now](const GrpcStream& stream) { return now - stream.waits_since >= too_late; };
  GrpcStream* stream = nullptr;
  while ((stream = first_of(waiting_requests_)) != nullptr && is_too_late(*stream)) {
    if (!try_admit(*stream, now)) return false;
    end_wait(*stream);
  }
  for (Places* const places : {&waiting_, &waiting_requests_}) {
    while ((stream = first_of(*places)) != nullptr) {
      if (is_behind_unread(*stream) && !has_room_for(stream->assembly.length())) {
        places->pop_front();
        wait_behind_unread(*stream);
        continue;
      }
      if (!try_admit(*stream, now)) return false;
      end_wait(*stream);
    }
  }
  return true;
}

/// The message has been admitted, and the stream's window is opened again for what has come of it.
void ReceiveMemory::end_wait(GrpcStream& stream) { windows_.give_back(stream, drop_waiting(stream)); }

}  // namespace trunkline::session::grpc
