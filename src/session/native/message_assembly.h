// SPDX-License-Identifier: MIT
// MessageAssembly: a message that arrives in several chunks, assembled in one block.
#pragma once

#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstdint>

namespace trunkline::session::native {

class MessageAssembly {
 public:
  MessageAssembly() = default;
  ~MessageAssembly() { reset(); }
  MessageAssembly(const MessageAssembly&) = delete;
  MessageAssembly& operator=(const MessageAssembly&) = delete;

  bool is_active() const noexcept { return block_ != nullptr; }
  /// Allocates memory for the whole message. The caller has checked the size against its limits.
  void begin(std::size_t total, std::uint8_t codec, std::uint8_t compressor);
  std::size_t total() const noexcept { return total_; }
  std::size_t missing() const noexcept { return total_ - filled_; }
  std::uint8_t codec() const noexcept { return codec_; }
  std::uint8_t compressor() const noexcept { return compressor_; }

  /// Where the next bytes go. Call advance() after they have been written.
  std::byte* position() noexcept { return block_->data() + filled_; }
  void advance(std::size_t size) noexcept { filled_ += size; }
  /// Error: internal (with this chunk the message is longer, or after its last chunk shorter, than announced).
  Status check_chunk(std::size_t size, bool last) const;
  /// Returns the whole message; the assembly is idle again.
  Slice take() noexcept;
  void reset() noexcept;

 private:
  Block* block_ = nullptr;
  std::size_t total_ = 0;
  std::size_t filled_ = 0;
  std::uint8_t codec_ = 0;
  std::uint8_t compressor_ = 0;
};

}  // namespace trunkline::session::native
