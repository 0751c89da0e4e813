// SPDX-License-Identifier: MIT
// ReceiveMemory: room for the messages of clients that are gathered or unread.
#pragma once

#include "base/vector_queue.h"
#include "session/grpc/receive_windows.h"
#include "session/grpc/stream_table.h"
#include "session/memory_share.h"

#include <trunkline/connection_limits.h>

#include <cstddef>
#include <cstdint>

namespace trunkline::session::grpc {

/// A message whose end has not come gets room for all of it, in the connection's max_unread_bytes and in the budget, or
/// waits. While it waits, the client has sent at most one window of it.
class ReceiveMemory {
 public:
  /// All outlive the object.
  ReceiveMemory(const ConnectionLimits& limits, MemoryShare& share, StreamTable& streams,
                ReceiveWindows& windows) noexcept
      : limits_(limits), share_(share), streams_(streams), windows_(windows) {}

  /// The stream gathers a message, and has read its prefix.
  void begin(GrpcStream& stream);
  /// `bytes` of it have come and were added.
  void add(GrpcStream& stream, std::uint32_t bytes);
  /// The message is complete, or dropped. Returns what of the stream's window is still to be opened for it.
  std::uint32_t end(GrpcStream& stream);
  /// Gives room to messages that wait, in order. False: some still wait.
  bool admit_waiting();
  bool has_waiting() const noexcept { return waiting_streams_ > 0; }
  /// Where messages wait for room. What they wait for in max_unread_bytes concerns this connection alone.
  MemoryShare::Lack lack() const noexcept { return has_waiting() ? lack_ : MemoryShare::Lack::nothing; }
  bool has_unfinished() const noexcept { return admitted_streams_ > 0; }
  /// All bytes of messages with room that have come so far.
  std::uint64_t progress() const noexcept { return progress_; }

  /// The application keeps `bytes` of messages, or no longer does.
  void keep(std::int64_t bytes) noexcept { unread_ += bytes; }
  /// Of messages that are gathered or unread, with the room of those that have some.
  std::size_t bytes() const noexcept {
    return admitted_ + waiting_bytes_ + static_cast<std::size_t>(unread_ > 0 ? unread_ : 0);
  }
  std::size_t unread() const noexcept { return static_cast<std::size_t>(unread_ > 0 ? unread_ : 0); }
  /// The part of bytes() that has yet to come.
  std::size_t room() const noexcept { return admitted_ - come_; }

 private:
  bool try_admit(GrpcStream& stream);

  const ConnectionLimits& limits_;
  MemoryShare& share_;
  StreamTable& streams_;
  ReceiveWindows& windows_;
  /// The lengths of messages that have room, and how much of them has come.
  std::size_t admitted_ = 0;
  std::size_t come_ = 0;
  std::size_t waiting_bytes_ = 0;
  std::size_t admitted_streams_ = 0;
  std::size_t waiting_streams_ = 0;
  std::int64_t unread_ = 0;
  std::uint64_t progress_ = 0;
  MemoryShare::Lack lack_ = MemoryShare::Lack::nothing;
  /// In order; those that wait no longer are skipped.
  base::VectorQueue<CallId> waiting_;
};

}  // namespace trunkline::session::grpc
