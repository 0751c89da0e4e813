// SPDX-License-Identifier: MIT
// Encodes and decodes the frames of tests.
#include "kit/frames.h"

#include "wire/body.h"
#include "wire/control.h"
#include "wire/preface.h"

namespace trunkline::kit {

namespace {
namespace flag = wire::flag;
using wire::FrameType;
}  // namespace

std::string FrameSpec::bytes() const {
  BufferWriter block;
  const bool has_fields =
      method || timeout_us || message_bytes || !metadata.empty() || !status_message.empty() || (flags & flag::headers);
  if (has_fields) {
    wire::HeaderBlockWriter writer(block);
    writer.begin();
    if (method) writer.method(*method);
    if (timeout_us) writer.timeout(*timeout_us);
    if (!metadata.empty()) writer.metadata(metadata);
    if (message_bytes) writer.message_bytes(*message_bytes);
    if (!status_message.empty()) writer.status_message(status_message);
    writer.finish();
  }
  wire::FrameHeader header{.length = static_cast<std::uint32_t>(block.size() + body.size()),
                           .type = type,
                           .flags = static_cast<std::uint8_t>(flags | (has_fields ? flag::headers : 0)),
                           .codec = codec,
                           .compressor = compressor,
                           .call = call,
                           .number = number};
  std::string out(wire::header_bytes, '\0');
  wire::write_header(header, reinterpret_cast<std::byte*>(out.data()));
  out += as_text(block.bytes());
  out += body;
  return out;
}

std::string preface() { return std::string(as_text(ByteSpan(wire::preface))); }

std::string hello(const wire::Hello& hello) {
  BufferWriter out;
  wire::write_hello(hello, out);
  return std::string(as_text(out.bytes()));
}

std::string greeting(const wire::Hello& limits) {
  wire::Hello full = limits;
  if (full.codecs.empty()) full.codecs = {"bytes"};
  return preface() + hello(full);
}

FrameSpec call(std::uint32_t id, std::uint32_t number, std::string_view method, std::string_view message) {
  FrameSpec spec{.type = FrameType::call, .flags = flag::end | flag::message, .codec = 1, .call = id, .number = number};
  if (!method.empty()) spec.method = method;
  spec.body = message;
  return spec;
}

FrameSpec message(std::uint32_t id, std::string_view message, std::uint8_t more_flags) {
  return {.type = FrameType::message,
          .flags = static_cast<std::uint8_t>(flag::message | more_flags),
          .codec = 1,
          .call = id,
          .body = std::string(message)};
}

FrameSpec finish(std::uint32_t id, std::string_view message) {
  return {.type = FrameType::finish, .flags = flag::message, .codec = 1, .call = id, .body = std::string(message)};
}

FrameSpec failed(std::uint32_t id, StatusCode code, std::string_view text, bool unprocessed) {
  return {.type = FrameType::finish,
          .flags = unprocessed ? flag::unprocessed : std::uint8_t{0},
          .call = id,
          .number = static_cast<std::uint32_t>(code),
          .status_message = std::string(text)};
}

FrameSpec cancel(std::uint32_t id, std::uint32_t number) {
  return {.type = FrameType::cancel, .call = id, .number = number};
}

FrameSpec credit(std::uint32_t id, std::uint32_t bytes) {
  return {.type = FrameType::credit, .call = id, .number = bytes};
}

FrameSpec ping(std::string_view eight_bytes) { return {.type = FrameType::ping, .body = std::string(eight_bytes)}; }

FrameSpec goaway(std::uint32_t last, std::uint32_t code, std::string_view reason) {
  return {.type = FrameType::goaway, .call = last, .number = code, .body = std::string(reason)};
}

namespace {

SeenFrame take_apart(const wire::FrameHeader& header, std::string body) {
  SeenFrame frame{.header = header, .body = std::move(body)};
  if (header.type != FrameType::call && header.type != FrameType::message && header.type != FrameType::finish)
    return frame;
  wire::FrameBody parts;
  wire::HeaderBlock block;
  if (!wire::split_body(header, as_bytes(frame.body), 1 << 20, parts).is_ok()) return frame;
  frame.message = as_text(parts.message);
  if (!header.has(flag::headers) || !wire::read_header_block(parts.fields, header.type, block).is_ok()) return frame;
  frame.method = block.method;
  frame.message_bytes = block.message_bytes;
  frame.has_timeout = block.has_timeout;
  frame.timeout_us = block.timeout_us;
  frame.status_message = block.status_message;
  wire::copy_metadata(block, frame.metadata);
  return frame;
}

}  // namespace

std::vector<SeenFrame> FrameReader::read(std::string_view bytes) {
  buffer_ += bytes;
  std::size_t at = 0;
  if (preface_pending_) {
    if (buffer_.size() < wire::preface.size()) return {};
    at = wire::preface.size();
    preface_pending_ = false;
  }
  std::vector<SeenFrame> frames;
  while (buffer_.size() - at >= wire::header_bytes) {
    const auto header = wire::read_header(reinterpret_cast<const std::byte*>(buffer_.data() + at));
    if (buffer_.size() - at - wire::header_bytes < header.length) break;
    frames.push_back(take_apart(header, buffer_.substr(at + wire::header_bytes, header.length)));
    at += wire::header_bytes + header.length;
  }
  buffer_.erase(0, at);
  return frames;
}

}  // namespace trunkline::kit
