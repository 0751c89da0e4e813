// SPDX-License-Identifier: MIT
// ReceiveMemory: room for the peer's messages that are gathered or unread.
#pragma once

#include "base/vector_queue.h"
#include "http/http2/receive_windows.h"
#include "http/http2/stream_table.h"
#include "session/grpc/grpc_stream.h"
#include "session/memory_share.h"

#include <trunkline/connection_limits.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace trunkline::session::grpc {

/// A message whose end has not come gets room for all of it, in the connection's max_unread_bytes and in the budget, or
/// waits. While it waits, the peer has sent at most one window of it. Requests wait even when less is used, because
/// handlers keep them and would make memory short for calls with short requests. Other messages pass requests that
/// wait. The longer a request has waited, the more room it gets. max_unread_bytes always has room for one message at a
/// time, so that streams that nobody reads do not keep other calls waiting; only a message behind an unread one of its
/// own stream then waits until that is read, and nothing waits for it.
class ReceiveMemory {
 public:
  /// All references outlive the object.
  ReceiveMemory(const ConnectionLimits& limits, MemoryShare& share, http::http2::Streams<GrpcStream>& streams,
                http::http2::ReceiveWindows& windows) noexcept
      : limits_(limits), share_(share), streams_(streams), windows_(windows) {}

  /// A request that has waited for `late` gets a little more room, and after `too_late` as much as any message:
  /// handlers may be waiting for it.
  static constexpr std::chrono::seconds late{1};
  static constexpr std::chrono::seconds too_late{10};

  /// The stream begins to gather a message whose prefix it has read, and the windows are opened again for the prefix.
  void begin(GrpcStream& stream, bool is_request, base::TimePoint now);
  /// `bytes` of the stream's message have come, and were added to it.
  void add(GrpcStream& stream, std::uint32_t bytes);
  /// A body without a known length has used all of its room, and may be up to `length` bytes long.
  void extend(GrpcStream& stream, std::uint32_t length, base::TimePoint now);
  /// A gathered message is complete, or what has come of a message is dropped. Returns by how much the stream's window
  /// is still to be opened for it.
  std::uint32_t end(GrpcStream& stream);
  /// Gives room to messages that wait, in order, and to requests after the others. Returns false if some still wait.
  bool admit_waiting(base::TimePoint now);
  /// Returns true if there are messages that wait for anything but the reader of their own stream.
  bool has_waiting() const noexcept { return waiting_streams_ > behind_unread_; }
  /// Messages of the stream have been read: one that waits may not be behind an unread one any longer.
  void unblock(GrpcStream& stream);
  /// Counts the places in the queues of streams that wait, including those of streams that wait no longer.
  std::size_t places() const noexcept { return waiting_.size() + waiting_requests_.size(); }
  /// Returns how much has come of messages that wait.
  std::size_t waiting_bytes() const noexcept { return waiting_bytes_; }
  /// Returns where messages wait for room. If they wait for max_unread_bytes, that concerns this connection alone.
  MemoryShare::Shortage shortage() const noexcept { return has_waiting() ? shortage_ : MemoryShare::Shortage::nothing; }
  bool has_unfinished() const noexcept { return admitted_streams_ > 0; }
  /// Returns all bytes that have come so far of messages with room.
  std::uint64_t progress() const noexcept { return progress_; }

  /// The application keeps `bytes` of messages, or no longer does.
  void keep(std::int64_t bytes) noexcept { unread_ += bytes; }
  /// Returns the bytes of messages that are gathered or unread, including the room of those that have some.
  std::size_t bytes() const noexcept {
    return admitted_ + waiting_bytes_ + static_cast<std::size_t>(unread_ > 0 ? unread_ : 0);
  }
  std::size_t unread() const noexcept { return static_cast<std::size_t>(unread_ > 0 ? unread_ : 0); }
  /// Returns the part of bytes() that has yet to come.
  std::size_t room() const noexcept { return admitted_ - come_; }

 private:
  using Places = base::VectorQueue<CallId>;

  void admit_or_wait(GrpcStream& stream, base::TimePoint now);
  bool try_admit(GrpcStream& stream, base::TimePoint now);
  bool try_take(const GrpcStream& stream, base::TimePoint now);
  void wait_behind_unread(GrpcStream& stream);
  std::uint32_t drop_waiting(GrpcStream& stream);
  bool has_room_for(std::size_t length) const noexcept { return length + bytes() <= limits_.max_unread_bytes; }
  GrpcStream* first_of(Places& places);
  void end_wait(GrpcStream& stream);
  bool is_waiting(CallId id) const noexcept;
  void drop_places_of_gone(Places& places);

  const ConnectionLimits& limits_;
  MemoryShare& share_;
  http::http2::Streams<GrpcStream>& streams_;
  http::http2::ReceiveWindows& windows_;
  /// These are the lengths of messages that have room, and how much of them has come.
  std::size_t admitted_ = 0;
  std::size_t come_ = 0;
  std::size_t waiting_bytes_ = 0;
  std::size_t admitted_streams_ = 0;
  std::size_t waiting_streams_ = 0;
  /// This many of the streams that wait are in no queue: they wait behind an unread message of their own.
  std::size_t behind_unread_ = 0;
  std::int64_t unread_ = 0;
  std::uint64_t progress_ = 0;
  MemoryShare::Shortage shortage_ = MemoryShare::Shortage::nothing;
  /// Streams wait here in order. Those that wait no longer are skipped, and dropped once they are most of the queues.
  Places waiting_;
  Places waiting_requests_;
};

}  // namespace trunkline::session::grpc
