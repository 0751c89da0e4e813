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
  /// What the first frame of a message says about it.
  struct Description {
    std::size_t total = 0;
    /// The room to make for it: more than `total` if it decompresses to more.
    std::size_t room = 0;
    std::uint8_t codec = 0;
    std::uint8_t compressor = 0;
  };
  /// Allocates memory for the whole message. The caller has checked the size against its limits.
  void begin(const Description& message);
  /// As begin(), for a message that waits for room.
  void begin_waiting(const Description& message);
  bool is_waiting() const noexcept { return is_waiting_; }
  /// There is room: allocates memory for the whole message.
  void admit();
  /// The rest of the message needs no room: it is about to come.
  void end_waiting() noexcept { is_waiting_ = false; }
  /// While it is_waiting(): for how long, as far as it has been asked before.
  base::Duration time_waited(base::TimePoint now) noexcept {
    if (parts_->asked_first == base::TimePoint{}) parts_->asked_first = now;
    return now - parts_->asked_first;
  }
  std::size_t total() const noexcept { return message_.total; }
  std::size_t room() const noexcept { return message_.room; }
  /// What has not come of the room.
  std::size_t room_left() const noexcept { return message_.room - filled_; }
  /// Room has been made for the message.
  bool is_admitted() const noexcept { return is_admitted_; }
  std::size_t filled() const noexcept { return filled_; }
  std::size_t missing() const noexcept { return message_.total - filled_; }
  std::uint8_t codec() const noexcept { return message_.codec; }
  std::uint8_t compressor() const noexcept { return message_.compressor; }

  /// Where the next `size` bytes go, not more than missing(). Call advance() after they have been written.
  std::byte* position(std::size_t size) {
    if (parts_ != nullptr) [[unlikely]]
      return position_in_parts(size);
    return block_->data() + filled_;
  }
  void advance(std::size_t size) noexcept { filled_ += size; }
  /// Error: internal (with this chunk the message is longer, or after its last chunk shorter, than announced).
  Status check_chunk(std::size_t size, bool last) const;
  /// Returns the whole message; the assembly is idle again.
  Slice take();
  void reset() noexcept;

 private:
  /// Of a message that began without room.
  struct Parts {
    /// Before that in block_.
    std::vector<Slice> full;
    std::size_t full_bytes = 0;
    base::TimePoint asked_first{};
  };

  std::byte* position_in_parts(std::size_t size);
  void join_parts();

  /// Of the whole message, or of its last part.
  Block* block_ = nullptr;
  Description message_;
  std::size_t filled_ = 0;
  bool is_waiting_ = false;
  bool is_admitted_ = false;
  std::unique_ptr<Parts> parts_;
};

}  // namespace trunkline::session::native
