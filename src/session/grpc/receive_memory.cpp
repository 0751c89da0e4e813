// SPDX-License-Identifier: MIT
// Admission of long messages.
#include "session/grpc/receive_memory.h"

#include <algorithm>
#include <utility>

namespace trunkline::session::grpc {

void ReceiveMemory::begin(GrpcStream& stream) {
  stream.assembly.begin();
  stream.is_admitted = false;
  stream.withheld = 0;
  if (waiting_streams_ == 0 && try_admit(stream)) return;
  ++waiting_streams_;
  waiting_.push_back(stream.id);
}

bool ReceiveMemory::try_admit(GrpcStream& stream) {
  const std::size_t length = stream.assembly.length();
  // One message always has room, whatever is unread: otherwise a connection could wait for itself.
  if (admitted_ + unread() > 0 && length > limits_.max_unread_bytes - std::min(limits_.max_unread_bytes, bytes())) {
    lack_ = MemoryShare::Lack::nothing;
    return false;
  }
  if (!share_.try_take(length)) {
    lack_ = share_.lack();
    return false;
  }
  stream.is_admitted = true;
  admitted_ += length;
  come_ += stream.assembly.gathered();
  ++admitted_streams_;
  return true;
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
  windows_.add_waiting(bytes);
}

std::uint32_t ReceiveMemory::end(GrpcStream& stream) {
  if (!stream.assembly.is_gathering()) return 0;
  if (stream.is_admitted) {
    admitted_ -= stream.assembly.length();
    come_ -= stream.assembly.gathered();
    if (--admitted_streams_ == 0) share_.free_reserve();
    return 0;
  }
  --waiting_streams_;
  waiting_bytes_ -= stream.withheld;
  windows_.drop_waiting(stream.withheld);
  return std::exchange(stream.withheld, 0);
}

bool ReceiveMemory::admit_waiting() {
  while (!waiting_.empty()) {
    GrpcStream* const stream = streams_.find(waiting_.front());
    const bool waits = stream != nullptr && stream->assembly.is_gathering() && !stream->is_admitted;
    if (waits) {
      if (!try_admit(*stream)) return false;
      --waiting_streams_;
      waiting_bytes_ -= stream->withheld;
      const std::uint32_t withheld = std::exchange(stream->withheld, 0);
      windows_.drop_waiting(withheld);
      windows_.give_back(*stream, withheld);
    }
    waiting_.pop_front();
  }
  return true;
}

}  // namespace trunkline::session::grpc
