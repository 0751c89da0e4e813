// SPDX-License-Identifier: MIT
// Writes the texts of codec errors.
#include <codec/codec_error.h>

#include <cxxabi.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>

namespace trunkline::codec {
namespace {

constexpr std::size_t max_printable_bytes = 64;

std::string joined(std::string_view verb, std::string_view codec, std::string_view reason) {
  std::string text(verb);
  text.append(codec).append(": ").append(reason);
  return text;
}

/// Returns the name of a type as it stands in the source.
std::string shown_name(const std::type_info& type) {
  const std::unique_ptr<char, void (*)(void*)> shown(abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr),
                                                     &std::free);
  return shown != nullptr ? shown.get() : type.name();
}

std::string unsupported(const MessageType& type) {
  static constexpr std::array<std::string_view, 6> kinds = {"empty", "bytes", "value", "plain", "protobuf", "custom"};
  const auto kind = static_cast<std::size_t>(type.kind);
  std::string text = "does not support ";
  text.append(kind < kinds.size() ? kinds[kind] : "unknown").append(" messages");
  if (type.type != nullptr) text.append(" (type ").append(shown_name(*type.type)).append(")");
  return text;
}

}  // namespace

Status encode_error(std::string_view codec, std::string_view reason) {
  return {StatusCode::internal, joined("encode ", codec, reason)};
}

Status decode_error(std::string_view codec, std::string_view reason) {
  return {StatusCode::invalid_argument, joined("decode ", codec, reason)};
}

Status decode_over_limit(std::string_view codec, std::string_view reason) {
  return {StatusCode::resource_exhausted, joined("decode ", codec, reason)};
}

Status cannot_encode(std::string_view codec, const MessageType& type) { return encode_error(codec, unsupported(type)); }

Status cannot_decode(std::string_view codec, const MessageType& type) {
  return {StatusCode::internal, joined("decode ", codec, unsupported(type))};
}

std::string printable(std::string_view name) {
  std::string text(name.substr(0, max_printable_bytes));
  for (char& c : text) {
    if (c < 0x20 || c > 0x7E) c = '?';
  }
  if (name.size() > max_printable_bytes) text.append("...");
  return text;
}

}  // namespace trunkline::codec
