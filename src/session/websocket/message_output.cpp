// SPDX-License-Identifier: MIT
// Writes headers and masked copies, and keeps account of what is left of them.
#include "session/websocket/message_output.h"

#include <algorithm>

namespace trunkline::session::websocket {

using http::websocket::FrameHeader;
using http::websocket::Mask;

void MessageOutput::append_control(http::websocket::Opcode opcode, std::string_view payload) {
  FrameHeader header{.opcode = opcode, .length = payload.size()};
  if (keys_) {
    std::array<std::byte, Mask::key_bytes> key;
    keys_->draw(key);
    header.is_masked = true;
    header.mask = Mask(key.data());
  }
  std::array<std::byte, http::websocket::max_frame_header_bytes + http::websocket::max_control_bytes> frame;
  const std::size_t size = header.write(frame.data());
  header.mask.apply(frame.data() + size, as_bytes(payload).data(), payload.size());
  append(as_text(ByteSpan(frame).first(size + payload.size())));
}

std::size_t MessageOutput::gather_plain(std::span<ByteSpan> out) const noexcept {
  out[0] = as_bytes(plain_);
  return 1;
}

/// Begins a message of the parts. Returns false if they are empty.
bool MessageOutput::begin_message(std::span<const ByteSpan> parts) {
  std::size_t size = 0;
  for (const ByteSpan& part : parts) size += part.size();
  size = std::min(size, max_message_bytes);
  if (size == 0) return false;
  FrameHeader header{.length = size};
  if (keys_) {
    std::array<std::byte, Mask::key_bytes> key;
    keys_->draw(key);
    header.is_masked = true;
    header.mask = Mask(key.data());
    copy_masked(parts, header);
  } else {
    header.write(header_.data());
  }
  header_size_ = header.size();
  header_sent_ = 0;
  message_left_ = size;
  return true;
}

void MessageOutput::copy_masked(std::span<const ByteSpan> parts, const FrameHeader& header) {
  copy_size_ = header.size() + static_cast<std::size_t>(header.length);
  copy_ = Block::allocate(copy_size_);
  std::size_t at = header.write(copy_->data());
  Mask mask = header.mask;
  for (const ByteSpan& part : parts) {
    const std::size_t size = std::min(part.size(), copy_size_ - at);
    mask.apply(copy_->data() + at, part.data(), size);
    mask = mask.after(size);
    at += size;
  }
}

std::size_t MessageOutput::rest_of_copy(std::span<ByteSpan> out) const noexcept {
  const std::size_t left = header_left() + message_left_;
  out[0] = ByteSpan(copy_->data() + (copy_size_ - left), left);
  return 1;
}

/// Shortens the parts to their first `size` bytes, and returns how many parts have them.
std::size_t MessageOutput::shortened(std::span<ByteSpan> parts, std::size_t size) noexcept {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (size == 0) return i;
    parts[i] = parts[i].first(std::min(parts[i].size(), size));
    size -= parts[i].size();
  }
  return parts.size();
}

/// The transport has taken `size` bytes. Returns how many of them are inner's.
std::size_t MessageOutput::take(std::size_t size) noexcept {
  if (!has_message()) {
    plain_.erase(0, size);
    if (plain_.empty()) std::string().swap(plain_);
    return 0;
  }
  const std::size_t of_header = std::min(size, header_left());
  header_sent_ += of_header;
  const std::size_t of_message = size - of_header;
  message_left_ -= of_message;
  if (!has_message()) release_copy();
  return of_message;
}

void MessageOutput::release_copy() noexcept {
  if (copy_ != nullptr) copy_->release();
  copy_ = nullptr;
}

void MessageOutput::clear() noexcept {
  release_copy();
  std::string().swap(plain_);
  header_sent_ = header_size_;
  message_left_ = 0;
}

}  // namespace trunkline::session::websocket
