// SPDX-License-Identifier: MIT
// FrameReader: the rules of headers, in the order in which their bytes come.
#include "http/websocket/frame_reader.h"

#include <algorithm>
#include <cstring>

namespace trunkline::http::websocket {

namespace {

constexpr unsigned last_of_message = 0x80;
constexpr unsigned reserved_bits = 0x70;
constexpr unsigned opcode_bits = 0x0F;
constexpr unsigned masked = 0x80;
constexpr unsigned length_bits = 0x7F;
constexpr unsigned length_in_2_bytes = 126;

constexpr bool is_known(unsigned opcode) noexcept { return opcode <= 2 || (opcode >= 8 && opcode <= 10); }

}  // namespace

FrameReader::Outcome FrameReader::next(ByteSpan& input) noexcept {
  if (error_.code != CloseCode::normal) return Outcome::failed;
  if (state_ == State::in_header && !read_header(input)) {
    return error_.code == CloseCode::normal ? Outcome::needs_input : Outcome::failed;
  }
  return state_ == State::in_control ? take_control(input) : take_data(input);
}

/// Reads the bytes of a header. Returns true once the header is complete.
bool FrameReader::read_header(ByteSpan& input) noexcept {
  for (;;) {
    const std::size_t part = std::min<std::size_t>(header_needed_ - header_size_, input.size());
    if (part > 0) std::memcpy(header_.data() + header_size_, input.data(), part);
    input = input.subspan(part);
    header_size_ = static_cast<std::uint8_t>(header_size_ + part);
    if (header_size_ < header_needed_) return false;
    // An unmasked short frame has no more than the first two bytes.
    if (header_needed_ == 2 && !begin_header()) return false;
    if (header_size_ == header_needed_) return end_header();
  }
}

bool FrameReader::fail(CloseCode code, std::string_view text) noexcept {
  error_ = {.code = code, .text = text};
  return false;
}

/// Checks the first two bytes, which are there.
bool FrameReader::begin_header() noexcept {
  const unsigned first = std::to_integer<unsigned>(header_[0]);
  const unsigned second = std::to_integer<unsigned>(header_[1]);
  const unsigned opcode = first & opcode_bits;
  const unsigned length = second & length_bits;
  const bool is_last = (first & last_of_message) != 0;
  if ((first & reserved_bits) != 0) return fail(CloseCode::protocol_error, "a reserved bit is set");
  if (!is_known(opcode)) return fail(CloseCode::protocol_error, "the opcode is reserved");
  opcode_ = static_cast<Opcode>(opcode);
  if (((second & masked) != 0) != expects_masks_) {
    return fail(CloseCode::protocol_error,
                expects_masks_ ? "a client's frame has no mask" : "a server's frame has a mask");
  }
  if (is_control(opcode_)) {
    if (!is_last) return fail(CloseCode::protocol_error, "a control frame is fragmented");
    if (length > max_control_bytes) return fail(CloseCode::protocol_error, "a control frame exceeds 125 bytes");
  } else if (opcode_ == Opcode::continuation) {
    if (!is_in_message_) return fail(CloseCode::protocol_error, "a continuation has no message to continue");
    is_in_message_ = !is_last;
  } else {
    if (is_in_message_) return fail(CloseCode::protocol_error, "a message begins within another one");
    if (opcode_ == Opcode::text) return fail(CloseCode::unsupported_data, "messages must be binary, not text");
    is_in_message_ = !is_last;
  }
  const std::size_t length_bytes = length < length_in_2_bytes ? 0 : length == length_in_2_bytes ? 2 : 8;
  header_needed_ = static_cast<std::uint8_t>(2 + length_bytes + (expects_masks_ ? Mask::key_bytes : 0));
  return true;
}

/// Ends the header, of which all bytes are there.
bool FrameReader::end_header() noexcept {
  const std::size_t length_bytes = header_needed_ - 2 - (expects_masks_ ? Mask::key_bytes : 0);
  std::uint64_t length = std::to_integer<unsigned>(header_[1]) & length_bits;
  if (length_bytes > 0) {
    length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) length = length << 8 | std::to_integer<unsigned>(header_[2 + i]);
    if (length >> 63 != 0) return fail(CloseCode::protocol_error, "the length of a frame exceeds 2^63 - 1");
    if (length < (length_bytes == 2 ? length_in_2_bytes : 0x10000U)) {
      return fail(CloseCode::protocol_error, "the length of a frame has more bytes than it needs");
    }
  }
  mask_ = expects_masks_ ? Mask(header_.data() + 2 + length_bytes) : Mask();
  missing_ = length;
  header_size_ = control_size_ = 0;
  header_needed_ = 2;
  state_ = is_control(opcode_) ? State::in_control : State::in_data;
  return true;
}

FrameReader::Outcome FrameReader::take_data(ByteSpan& input) noexcept {
  if (input.empty() && missing_ > 0) return Outcome::needs_input;
  const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(missing_, input.size()));
  data_ = {.bytes = input.first(part), .mask = mask_};
  input = input.subspan(part);
  missing_ -= part;
  mask_ = mask_.after(part);
  if (missing_ == 0) state_ = State::in_header;
  return Outcome::data;
}

FrameReader::Outcome FrameReader::take_control(ByteSpan& input) noexcept {
  const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(missing_, input.size()));
  mask_.apply(payload_.data() + control_size_, input.data(), part);
  control_size_ = static_cast<std::uint8_t>(control_size_ + part);
  input = input.subspan(part);
  missing_ -= part;
  mask_ = mask_.after(part);
  if (missing_ > 0) return Outcome::needs_input;
  state_ = State::in_header;
  control_ = {.opcode = opcode_, .payload = ByteSpan(payload_).first(control_size_)};
  return Outcome::control;
}

}  // namespace trunkline::http::websocket
