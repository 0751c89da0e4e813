// SPDX-License-Identifier: MIT
// The rules for frame headers in full: frames that belong to no call, and the errors of refused frames.
#include "wire/frame.h"

#include <string>

namespace trunkline::wire {

std::string_view to_string(FrameType type) noexcept {
  switch (type) {
    case FrameType::hello:
      return "hello";
    case FrameType::call:
      return "call";
    case FrameType::message:
      return "message";
    case FrameType::finish:
      return "finish";
    case FrameType::cancel:
      return "cancel";
    case FrameType::credit:
      return "credit";
    case FrameType::ping:
      return "ping";
    case FrameType::pong:
      return "pong";
    case FrameType::goaway:
      return "goaway";
  }
  return "unknown";
}

Status frame_too_long(std::uint32_t length, std::uint32_t max_frame_bytes) {
  return {StatusCode::resource_exhausted, "decode frame: length " + std::to_string(length) +
                                              " exceeds max_frame_bytes " + std::to_string(max_frame_bytes)};
}

namespace frame_rules {
namespace {

Status refusal(const FrameHeader& header, const std::string& what, StatusCode code = StatusCode::internal) {
  return {code, "decode frame: " + std::string(to_string(header.type)) + " frame " + what};
}

std::string hex(unsigned byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  return {'0', 'x', digits[byte >> 4 & 15], digits[byte & 15]};
}

enum class CallField : std::uint8_t { zero, id, any };

/// The requirements of a frame type for the fields of its header.
struct TypeRule {
  bool from_client;
  bool from_server;
  std::uint8_t flags;
  CallField call;
  std::uint32_t min_number;
  std::uint32_t max_number;
  std::uint32_t min_length;
  std::uint32_t max_length;
};

constexpr std::uint32_t any = 0xFFFFFFFF;
constexpr std::array<TypeRule, 10> rules{{
    {},
    {true, true, 0, CallField::zero, 0, 0, 0, max_hello_bytes},      // hello
    {true, false, call_flags, CallField::id, 0, any, 0, any},        // call
    {true, true, message_flags, CallField::id, 0, 0, 0, any},        // message
    {false, true, finish_flags, CallField::id, 0, 16, 0, any},       // finish
    {true, false, 0, CallField::id, 1, 4, 0, 0},                     // cancel
    {true, true, 0, CallField::any, 1, max_credit_bytes, 0, 0},      // credit
    {true, true, 0, CallField::zero, 0, 0, ping_bytes, ping_bytes},  // ping
    {true, true, 0, CallField::zero, 0, 0, ping_bytes, ping_bytes},  // pong
    {true, true, 0, CallField::any, 0, 16, 0, max_reason_bytes},     // goaway
}};

std::string range(std::uint32_t least, std::uint32_t most, std::string_view between) {
  const std::string text = ", must be " + std::to_string(least);
  return least == most ? text : text + std::string(between) + std::to_string(most);
}

Status check_flags(const FrameHeader& header, std::uint8_t allowed) {
  if ((header.flags & ~(allowed | flag::ignorable)) != 0) {
    return refusal(header, "has flags " + hex(header.flags) + ", allowed are " + hex(allowed));
  }
  if (header.has(flag::more) && !header.has(flag::message)) return refusal(header, "has flag more without message");
  if (header.has(flag::more) && header.has(flag::end)) return refusal(header, "has flag more together with end");
  if (header.has(flag::one_way) && !header.has(flag::end) && !header.has(flag::more)) {
    return refusal(header, "has flag one_way without end or more");
  }
  return {};
}

Status check_fields(const FrameHeader& header, const TypeRule& rule) {
  if (rule.call == CallField::zero && header.call != 0) {
    return refusal(header, "has call " + std::to_string(header.call) + ", must be 0");
  }
  if (rule.call == CallField::id && header.call == 0) return refusal(header, "has call 0, must be an id");
  const bool cancel_gap = header.type == FrameType::cancel && (header.number == 2 || header.number == 3);
  if (header.number < rule.min_number || header.number > rule.max_number || cancel_gap) {
    const bool overflow = header.type == FrameType::credit && header.number != 0;
    return refusal(header,
                   "has number " + std::to_string(header.number) +
                       range(rule.min_number, rule.max_number, header.type == FrameType::cancel ? " or " : " to "),
                   overflow ? StatusCode::resource_exhausted : StatusCode::internal);
  }
  if (header.length < rule.min_length || header.length > rule.max_length) {
    const bool limit = header.type == FrameType::hello || header.type == FrameType::goaway;
    return refusal(header,
                   "has length " + std::to_string(header.length) + range(rule.min_length, rule.max_length, " to "),
                   limit ? StatusCode::resource_exhausted : StatusCode::internal);
  }
  return {};
}

/// Checks codec, compressor and body against the flags headers and message, which only call frames have.
Status check_content(const FrameHeader& header) {
  const bool headers = header.has(flag::headers);
  const bool message = header.has(flag::message);
  if (!message && header.codec != 0)
    return refusal(header, "has codec " + std::to_string(header.codec) + " without flag message");
  if (header.codec == 0 && header.compressor != 0) {
    return refusal(header, "has compressor " + std::to_string(header.compressor) + " without codec");
  }
  if (!headers && !message && header.length != 0 && header.call != 0 && header.type <= FrameType::finish) {
    return refusal(header, "has length " + std::to_string(header.length) + " without flags headers and message");
  }
  if (headers && header.length < block_size_bytes) {
    return refusal(header, "has length " + std::to_string(header.length) + ", too short for its header block");
  }
  return {};
}

Status check_call(const FrameHeader& header) {
  const bool headers = header.has(flag::headers);
  if (header.number == 0 && !headers) return refusal(header, "has neither a method number nor a header block");
  if (header.has(flag::message) && header.codec == 0) {
    if (header.has(flag::more)) return refusal(header, "has flag more without codec");
    if (!headers && header.length != 0) return refusal(header, "has a message without codec that is not empty");
  }
  return {};
}

Status check_finish(const FrameHeader& header) {
  if (header.number != 0 && header.has(flag::message)) {
    return refusal(header, "has flag message with status " + std::to_string(header.number));
  }
  if (header.number == 0 && header.has(flag::unprocessed)) return refusal(header, "has flag unprocessed with status 0");
  return {};
}

Status check_known(const FrameHeader& header, Sender from) {
  const TypeRule& rule = rules[static_cast<std::size_t>(header.type)];
  if (!(from == Sender::client ? rule.from_client : rule.from_server)) {
    return refusal(header, from == Sender::client ? "comes from a client" : "comes from a server");
  }
  if (Status status = check_flags(header, rule.flags); !status) return status;
  if (Status status = check_fields(header, rule); !status) return status;
  if (Status status = check_content(header); !status) return status;
  if (header.type == FrameType::call) return check_call(header);
  if (header.type == FrameType::finish) return check_finish(header);
  return {};
}

}  // namespace

FrameVerdict check_other(const FrameHeader& header, Sender from, Status& why) {
  const auto type = static_cast<unsigned>(header.type);
  if (type >= 0x80) return FrameVerdict::skip;
  if (type == 0 || type >= rules.size()) {
    why = Status(StatusCode::internal, "decode frame: unknown type " + hex(type));
    return FrameVerdict::refuse;
  }
  Status status = check_known(header, from);
  if (status) return FrameVerdict::accept;
  why = std::move(status);
  return FrameVerdict::refuse;
}

}  // namespace frame_rules
}  // namespace trunkline::wire
