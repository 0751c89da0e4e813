// SPDX-License-Identifier: MIT
// MessageAssembly: a message that arrives in several chunks, assembled into one block.
#pragma once

#include "base/clock.h"

#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace trunkline::session::native {

/// A message that waits for room takes memory only for what has come of it, in parts that are joined later.
class MessageAssembly {
 public:
  MessageAssembly() = default;
  ~MessageAssembly() {
    if (block_ != nullptr) block_->release();
  }
  MessageAssembly(const MessageAssembly&) = delete;
  MessageAssembly& operator=(const MessageAssembly&) = delete;

  bool is_active() const noexcept { return block_ != nullptr; }
  /// Holds what the first frame of a message says about it.
  struct Description {
    std::size_t total = 0;
    /// The message needs this much room, which is more than `total` if it decompresses to more.
    std::size_t room = 0;
    std::uint8_t codec = 0;
    std::uint8_t compressor = 0;
  };
  /// Allocates memory for the whole message. The caller has checked the size against its limits.
  void begin(const Description& message);
  /// Begins a message that waits for room, for which no memory is allocated yet. It waits `behind_unread` if the
  /// application has yet to take an earlier message of its call.
  void begin_waiting(const Description& message, bool behind_unread = false);
  bool is_waiting() const noexcept { return is_waiting_; }
  /// Returns true if the message began to wait behind an unread one.
  bool began_behind_unread() const noexcept { return began_behind_unread_; }
  /// There is room: allocates memory for the whole message.
  void admit();
  /// The rest of the message needs no room: it is about to come.
  void end_waiting() noexcept { is_waiting_ = false; }
  /// Returns how long a message that is_waiting() has waited, counted from the first call of this function.
  base::Duration time_waited(base::TimePoint now) noexcept {
    if (parts_->asked_first == base::TimePoint{}) parts_->asked_first = now;
    return now - parts_->asked_first;
  }
  std::size_t total() const noexcept { return message_.total; }
  std::size_t room() const noexcept { return message_.room; }
  /// Returns how much of the room has not come.
  std::size_t room_left() const noexcept { return message_.room - filled_; }
  /// Room has been made for the message.
  bool is_admitted() const noexcept { return is_admitted_; }
  std::size_t filled() const noexcept { return filled_; }
  std::size_t missing() const noexcept { return message_.total - filled_; }
  std::uint8_t codec() const noexcept { return message_.codec; }
  std::uint8_t compressor() const noexcept { return message_.compressor; }

  /// Returns where the next `size` bytes go, at most missing(). Call advance() after they have been written.
  std::byte* position(std::size_t size) {
    if (parts_ != nullptr) [[unlikely]]
      return position_in_parts(size);
    return block_->data() + filled_;
  }
  void advance(std::size_t size) noexcept { filled_ += size; }
  /// Checks a chunk. Error: internal (with it the message is longer, or after its last chunk shorter, than announced).
  Status check_chunk(std::size_t size, bool last) const;
  /// Returns the whole message; the assembly is idle again.
  Slice take();
  void reset() noexcept;

 private:
  /// Holds the parts of a message that began without room.
  struct Parts {
    /// These parts come before the part in block_.
    std::vector<Slice> full;
    std::size_t full_bytes = 0;
    base::TimePoint asked_first{};
  };

  std::byte* position_in_parts(std::size_t size);
  void join_parts();

  /// The block has the whole message, or its last part.
  Block* block_ = nullptr;
  Description message_;
  std::size_t filled_ = 0;
  bool is_waiting_ = false;
  bool began_behind_unread_ = false;
  bool is_admitted_ = false;
  std::unique_ptr<Parts> parts_;
};

}  // namespace trunkline::session::native
