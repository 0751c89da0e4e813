// SPDX-License-Identifier: MIT
// HeaderBlock: reads and writes header blocks.
#include "wire/header_block.h"

#include "base/utf8.h"

#include <array>
#include <string>

namespace trunkline::wire {
namespace {

constexpr std::uint8_t on_call = 1;
constexpr std::uint8_t on_message = 2;
constexpr std::uint8_t on_finish = 4;

struct TagRule {
  std::string_view name;
  std::uint8_t frames = 0;
  bool repeats = false;
};

constexpr std::array<TagRule, 7> tag_rules{{
    {},
    {"method", on_call, false},
    {"timeout", on_call, false},
    {"metadata", on_call | on_message | on_finish, true},
    {"message_bytes", on_call | on_message, false},
    {"status_message", on_finish, false},
    {"status_detail", on_finish, true},
}};

std::uint8_t frame_bit(FrameType type) noexcept {
  return type == FrameType::call ? on_call : type == FrameType::message ? on_message : on_finish;
}

struct MetadataParts {
  std::string_view name;
  std::string_view value;
};

/// Splits an entry of metadata. Returns false if the sizes do not add up.
bool split_metadata(ByteSpan field, MetadataParts& out) noexcept {
  if (field.empty()) return false;
  const auto size = std::to_integer<std::size_t>(field[0]);
  if (size > field.size() - 1) return false;
  out.name = as_text(field.subspan(1, size));
  out.value = as_text(field.subspan(1 + size));
  return true;
}

/// Splits a detail. Returns false if the sizes do not add up.
bool split_detail(ByteSpan field, MetadataParts& out) noexcept {
  if (field.size() < 2) return false;
  const std::size_t size = load_little<std::uint16_t>(field.data());
  if (size > field.size() - 2) return false;
  out.name = as_text(field.subspan(2, size));
  out.value = as_text(field.subspan(2 + size));
  return true;
}

Status broken_header_block(const std::string& what, StatusCode code = StatusCode::internal) {
  return {code, "decode header block: " + what};
}

struct Fault {
  /// The reason; null: there is no fault.
  const char* what = nullptr;
  StatusCode code = StatusCode::internal;
};

/// Reads a field of a known tag. Returns what is wrong with its value.
Fault read_value(const Field& field, HeaderBlock& out) noexcept {
  MetadataParts parts;
  switch (field.tag) {
    case header_tag::method:
      out.method = as_text(field.value);
      out.has_method = true;
      if (out.method.empty()) return {"is empty"};
      if (out.method.size() > max_method_bytes) return {"is over 1024 bytes", StatusCode::resource_exhausted};
      return base::is_utf8(out.method) ? Fault{} : Fault{"is not utf-8"};
    case header_tag::timeout:
      out.has_timeout = true;
      return read_integer(field.value, out.timeout_us) ? Fault{} : Fault{"is not an integer of 1 to 8 bytes"};
    case header_tag::metadata:
      ++out.metadata_count;
      if (!split_metadata(field.value, parts)) return {"is shorter than its name"};
      return is_name(parts.name, max_metadata_name_bytes, metadata_name_alphabet) ? Fault{}
                                                                                  : Fault{"has an invalid name"};
    case header_tag::message_bytes:
      out.has_message_bytes = true;
      return read_integer(field.value, out.message_bytes) ? Fault{} : Fault{"is not an integer of 1 to 8 bytes"};
    case header_tag::status_message:
      out.status_message = as_text(field.value);
      return base::is_utf8(out.status_message) ? Fault{} : Fault{"is not utf-8"};
    default:
      ++out.detail_count;
      if (!split_detail(field.value, parts)) return {"is shorter than its type url"};
      return base::is_utf8(parts.name) ? Fault{} : Fault{"has a type url that is not utf-8"};
  }
}

}  // namespace

bool is_method_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= max_method_bytes && base::is_utf8(text);
}

Status read_header_block(ByteSpan fields, FrameType on, HeaderBlock& out) {
  out = HeaderBlock{};
  out.fields = fields;
  const std::uint8_t frame = frame_bit(on);
  unsigned seen = 0;
  FieldReader reader(fields);
  for (Field field; reader.next(field);) {
    if (field.tag == 0 || field.tag >= tag_rules.size()) {
      if (field.is_skippable()) continue;
      return broken_header_block("unknown tag " + std::to_string(field.tag));
    }
    const TagRule& rule = tag_rules[field.tag];
    const unsigned bit = 1U << field.tag;
    if ((rule.frames & frame) == 0) {
      return broken_header_block(std::string(rule.name) + " on a " + std::string(to_string(on)) + " frame");
    }
    if (!rule.repeats && (seen & bit) != 0) return broken_header_block(std::string(rule.name) + " is repeated");
    seen |= bit;
    if (const Fault fault = read_value(field, out); fault.what != nullptr)
      return broken_header_block(std::string(rule.name) + " " + fault.what, fault.code);
  }
  if (reader.malformed()) return broken_header_block("a field ends after its block");
  return {};
}

void copy_metadata(const HeaderBlock& block, Metadata& out) {
  if (block.metadata_count == 0) return;
  MetadataParts parts;
  FieldReader reader(block.fields);
  for (Field field; reader.next(field);) {
    if (field.tag == header_tag::metadata && split_metadata(field.value, parts)) out.add(parts.name, parts.value);
  }
}

void copy_details(const HeaderBlock& block, Status& out) {
  if (block.detail_count == 0) return;
  MetadataParts parts;
  FieldReader reader(block.fields);
  for (Field field; reader.next(field);) {
    if (field.tag == header_tag::status_detail && split_detail(field.value, parts)) {
      out.add_detail(std::string(parts.name), std::string(parts.value));
    }
  }
}

void HeaderBlockWriter::begin() {
  store_little<std::uint32_t>(out_->prepare(block_size_bytes).data(), 0);
  out_->advance(block_size_bytes);
  start_ = out_->size();
}

void HeaderBlockWriter::metadata(std::string_view name, std::string_view value) {
  std::byte* at = fields_.open(header_tag::metadata, 1 + name.size() + value.size());
  at[0] = static_cast<std::byte>(name.size());
  if (!name.empty()) std::memcpy(at + 1, name.data(), name.size());
  if (!value.empty()) std::memcpy(at + 1 + name.size(), value.data(), value.size());
}

void HeaderBlockWriter::metadata(const Metadata& entries) {
  for (const Metadata::Entry& entry : entries) metadata(entry.name, entry.value);
}

void HeaderBlockWriter::status_message(std::string_view text) {
  copy_as_utf8(text, fields_.open(header_tag::status_message, text.size()));
}

bool HeaderBlockWriter::status_detail(std::string_view type_url, std::string_view value) {
  if (type_url.size() > max_type_url_bytes) return false;
  std::byte* at = fields_.open(header_tag::status_detail, 2 + type_url.size() + value.size());
  store_little(at, static_cast<std::uint16_t>(type_url.size()));
  copy_as_utf8(type_url, at + 2);
  if (!value.empty()) std::memcpy(at + 2 + type_url.size(), value.data(), value.size());
  return true;
}

std::size_t HeaderBlockWriter::finish() noexcept {
  // The writer's memory is writable; only its view of the written bytes is const.
  std::byte* first = const_cast<std::byte*>(out_->bytes().data());
  store_little(first + start_ - block_size_bytes, static_cast<std::uint32_t>(size()));
  return size();
}

}  // namespace trunkline::wire
