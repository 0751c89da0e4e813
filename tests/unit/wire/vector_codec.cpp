// SPDX-License-Identifier: MIT
// Frames to meanings and back.
#include "unit/wire/vector_codec.h"

#include "wire/body.h"
#include "wire/control.h"
#include "wire/header_block.h"
#include "wire/hello.h"

#include <array>
#include <cctype>
#include <utility>

namespace trunkline::wire {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<const char*, std::uint8_t>, 6> flag_names{{
    {"headers", flag::headers},
    {"message", flag::message},
    {"more", flag::more},
    {"end", flag::end},
    {"one_way", flag::one_way},
    {"unprocessed", flag::unprocessed},
}};

std::string hex_of_text(std::string_view text) { return hex_of(as_bytes(text)); }

json meaning_of_hello(const Hello& hello) {
  return {{"version", hello.version},
          {"max_frame_bytes", hello.max_frame_bytes},
          {"max_message_bytes", hello.max_message_bytes},
          {"max_concurrent_calls", hello.max_concurrent_calls},
          {"connection_credit", hello.connection_credit},
          {"call_credit", hello.call_credit},
          {"max_header_bytes", hello.max_header_bytes},
          {"max_methods", hello.max_methods},
          {"codecs", hello.codecs},
          {"compressors", hello.compressors},
          {"features", hello.features},
          {"ordered", hello.ordered}};
}

Hello hello_of(const json& meaning) {
  Hello hello;
  hello.version = meaning.at("version");
  hello.max_frame_bytes = meaning.at("max_frame_bytes");
  hello.max_message_bytes = meaning.at("max_message_bytes");
  hello.max_concurrent_calls = meaning.at("max_concurrent_calls");
  hello.connection_credit = meaning.at("connection_credit");
  hello.call_credit = meaning.at("call_credit");
  hello.max_header_bytes = meaning.at("max_header_bytes");
  hello.max_methods = meaning.at("max_methods");
  hello.codecs = meaning.at("codecs").get<std::vector<std::string>>();
  hello.compressors = meaning.at("compressors").get<std::vector<std::string>>();
  hello.features = meaning.at("features").get<std::vector<std::string>>();
  hello.ordered = meaning.at("ordered");
  return hello;
}

json meaning_of_block(const HeaderBlock& block) {
  json meaning = json::object();
  if (block.has_method) meaning["method"] = block.method;
  if (block.has_timeout) meaning["timeout_us"] = block.timeout_us;
  if (block.has_message_bytes) meaning["message_bytes"] = block.message_bytes;
  if (!block.status_message.empty()) meaning["status_message"] = block.status_message;
  Metadata metadata;
  copy_metadata(block, metadata);
  for (const Metadata::Entry& entry : metadata) meaning["metadata"].push_back({entry.name, hex_of_text(entry.value)});
  Status status(StatusCode::unknown, "");
  copy_details(block, status);
  for (const StatusDetail& detail : status.details()) {
    meaning["status_details"].push_back({detail.type_url, hex_of_text(detail.value)});
  }
  return meaning;
}

void write_block(const json& meaning, BufferWriter& out) {
  const auto text_of = [](const std::vector<std::byte>& bytes) { return std::string(as_text(bytes)); };
  HeaderBlockWriter writer(out);
  writer.begin();
  if (meaning.contains("method")) writer.method(meaning.at("method").get<std::string>());
  if (meaning.contains("timeout_us")) writer.timeout(meaning.at("timeout_us"));
  for (const json& entry : meaning.value("metadata", json::array())) {
    writer.metadata(entry.at(0).get<std::string>(), text_of(bytes_of_hex(entry.at(1))));
  }
  if (meaning.contains("message_bytes")) writer.message_bytes(meaning.at("message_bytes"));
  if (meaning.contains("status_message")) writer.status_message(meaning.at("status_message").get<std::string>());
  for (const json& detail : meaning.value("status_details", json::array())) {
    writer.status_detail(detail.at(0).get<std::string>(), text_of(bytes_of_hex(detail.at(1))));
  }
  writer.finish();
}

Status read_call_body(const FrameHeader& header, ByteSpan body, json& meaning) {
  FrameBody parts;
  if (Status status = split_body(header, body, Hello().max_header_bytes, parts); !status) return status;
  if (header.has(flag::headers)) {
    HeaderBlock block;
    if (Status status = read_header_block(parts.fields, header.type, block); !status) return status;
    meaning["headers"] = meaning_of_block(block);
  }
  if (header.has(flag::message)) meaning["message"] = hex_of(parts.message);
  std::uint64_t size = 0;
  if (header.compressor != 0 && read_leb128(parts.message, message_size_bytes, size) != 0) {
    meaning["uncompressed_bytes"] = size;
  }
  return {};
}

Status read_body(const FrameHeader& header, ByteSpan body, json& meaning) {
  std::string_view reason;
  switch (header.type) {
    case FrameType::hello: {
      const Result<Hello> hello = read_hello(body);
      if (hello) meaning["hello"] = meaning_of_hello(*hello);
      return hello.status();
    }
    case FrameType::call:
    case FrameType::message:
    case FrameType::finish:
      return read_call_body(header, body, meaning);
    case FrameType::ping:
    case FrameType::pong:
      meaning["value"] = hex_of(read_ping(body));
      return {};
    case FrameType::goaway: {
      Status status = read_goaway(body, reason);
      if (status) meaning["reason"] = reason;
      return status;
    }
    default:
      return {};
  }
}

json meaning_of_header(const FrameHeader& header) {
  json flags = json::array();
  for (const auto& [name, bit] : flag_names) {
    if (header.has(bit)) flags.push_back(name);
  }
  return {{"type", to_string(header.type)},  {"flags", flags},      {"codec", header.codec},
          {"compressor", header.compressor}, {"call", header.call}, {"number", header.number}};
}

FrameHeader header_of(const json& meaning) {
  FrameHeader header;
  for (std::uint8_t type = 1; type <= 9; ++type) {
    if (to_string(static_cast<FrameType>(type)) == meaning.at("type")) header.type = static_cast<FrameType>(type);
  }
  for (const json& flag : meaning.at("flags")) {
    for (const auto& [name, bit] : flag_names) {
      if (flag == name) header.flags = static_cast<std::uint8_t>(header.flags | bit);
    }
  }
  header.codec = meaning.at("codec");
  header.compressor = meaning.at("compressor");
  header.call = meaning.at("call");
  header.number = meaning.at("number");
  return header;
}

void write_call_frame(FrameHeader header, const json& meaning, BufferWriter& out) {
  BufferWriter body;
  if (header.has(flag::headers)) write_block(meaning.at("headers"), body);
  if (header.has(flag::message)) body.append(ByteSpan(bytes_of_hex(meaning.at("message"))));
  header.length = static_cast<std::uint32_t>(body.size());
  append_header(header, out);
  out.append(body.bytes());
}

}  // namespace

std::vector<std::byte> bytes_of_hex(const std::string& hex) {
  std::vector<std::byte> bytes;
  std::string digits;
  for (char character : hex) {
    if (character == ' ') continue;
    digits += character;
    if (digits.size() < 2) continue;
    bytes.push_back(static_cast<std::byte>(std::stoul(digits, nullptr, 16)));
    digits.clear();
  }
  return bytes;
}

std::string hex_of(ByteSpan bytes) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string hex;
  for (std::byte byte : bytes) {
    hex += digits[std::to_integer<unsigned>(byte) >> 4];
    hex += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return hex;
}

DecodedFrame decode_frame(ByteSpan bytes, Sender from) {
  DecodedFrame frame;
  if (bytes.size() < header_bytes) return frame;
  const FrameHeader header = read_header(bytes.data());
  if (!check_length(header, Hello().max_frame_bytes, frame.status)) return frame;
  const FrameVerdict verdict = check_header(header, from, frame.status);
  if (verdict == FrameVerdict::refuse || bytes.size() < header_bytes + header.length) return frame;
  frame.taken = header_bytes + header.length;
  if (verdict == FrameVerdict::skip) {
    frame.meaning = {{"type", static_cast<unsigned>(header.type)}, {"skipped_bytes", header.length}};
  } else {
    frame.meaning = meaning_of_header(header);
    frame.status = read_body(header, bytes.subspan(header_bytes, header.length), frame.meaning);
  }
  frame.complete = frame.status.is_ok();
  return frame;
}

std::vector<std::byte> encode_frame(const json& meaning) {
  const FrameHeader header = header_of(meaning);
  const auto code = static_cast<StatusCode>(header.number);
  BufferWriter out;
  PingValue value{};
  if (meaning.contains("value")) value = read_ping(bytes_of_hex(meaning.at("value")));
  switch (header.type) {
    case FrameType::hello:
      write_hello(hello_of(meaning.at("hello")), out);
      break;
    case FrameType::cancel:
      append_header(cancel_frame(header.call, code), out);
      break;
    case FrameType::credit:
      append_header(credit_frame(header.call, header.number), out);
      break;
    case FrameType::ping:
      append_header(ping_header(), out);
      out.append(ByteSpan(value));
      break;
    case FrameType::pong:
      append_header(pong_header(), out);
      out.append(ByteSpan(value));
      break;
    case FrameType::goaway:
      write_goaway(header.call, code, meaning.at("reason").get<std::string>(), out);
      break;
    default:
      write_call_frame(header, meaning, out);
      break;
  }
  return {out.bytes().begin(), out.bytes().end()};
}

}  // namespace trunkline::wire
