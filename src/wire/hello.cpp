// SPDX-License-Identifier: MIT
// Hello: reads, writes and checks hello.
#include "wire/hello.h"

#include "wire/field.h"
#include "wire/frame.h"
#include "wire/text.h"

#include <algorithm>
#include <array>
#include <limits>

namespace trunkline::wire {
namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// One integer field, with a tag from 1 to 8. The members hold 32 bits except for max_message_bytes.
struct NumberRule {
  std::uint8_t tag;
  std::string_view name;
  std::uint32_t Hello::*narrow;
  std::uint64_t least;
  std::uint64_t most;
};

constexpr std::uint8_t ordered_tag = 0x0C;
constexpr std::uint8_t message_limit_tag = 0x03;
constexpr std::array<NumberRule, 8> number_rules{{
    {0x01, "version", &Hello::version, 1, no_limit},
    {0x02, "max_frame_bytes", &Hello::max_frame_bytes, 65536, no_limit},
    {message_limit_tag, "max_message_bytes", nullptr, 1, no_limit},
    {0x04, "max_concurrent_calls", &Hello::max_concurrent_calls, 1, no_limit},
    {0x05, "connection_credit", &Hello::connection_credit, 1048576, max_credit_bytes},
    {0x06, "call_credit", &Hello::call_credit, 65536, max_credit_bytes},
    {0x07, "max_header_bytes", &Hello::max_header_bytes, 8192, no_limit},
    {0x08, "max_methods", &Hello::max_methods, 256, no_limit},
}};

struct ListRule {
  std::uint8_t tag;
  std::string_view name;
  std::vector<std::string> Hello::*list;
};

constexpr std::array<ListRule, 3> list_rules{{
    {0x09, "codec", &Hello::codecs},
    {0x0A, "compressor", &Hello::compressors},
    {0x0B, "feature", &Hello::features},
}};

std::uint64_t number_of(const Hello& hello, const NumberRule& rule) {
  return rule.narrow == nullptr ? hello.max_message_bytes : hello.*rule.narrow;
}

void set_number(Hello& hello, const NumberRule& rule, std::uint64_t value) {
  if (rule.narrow == nullptr) {
    hello.max_message_bytes = value;
  } else {
    hello.*rule.narrow = static_cast<std::uint32_t>(std::min<std::uint64_t>(value, 0xFFFFFFFF));
  }
}

/// The fault of a field.
struct Fault {
  /// The description of the fault; empty: there is none.
  std::string what;
  StatusCode code = StatusCode::internal;
};

Fault wrong_number(const NumberRule& rule, std::uint64_t value) {
  const std::string text = std::string(rule.name) + " " + std::to_string(value);
  if (value < rule.least) return {text + " is below its least value " + std::to_string(rule.least)};
  if (value > rule.most) return {text + " exceeds " + std::to_string(rule.most), StatusCode::resource_exhausted};
  return {};
}

/// Returns no fault if `name` may be appended to `list`.
Fault wrong_name(const ListRule& rule, const std::vector<std::string>& list, std::size_t count, std::string_view name) {
  const std::string field(rule.name);
  if (name.size() > max_hello_name_bytes) return {field + " has a name over 64 bytes", StatusCode::resource_exhausted};
  if (!is_name(name, max_hello_name_bytes)) return {field + " has an invalid name"};
  if (count == max_hello_names) return {"more than 32 fields " + field, StatusCode::resource_exhausted};
  const auto end = list.begin() + static_cast<std::ptrdiff_t>(count);
  if (std::find(list.begin(), end, name) != end) return {field + " " + std::string(name) + " is named twice"};
  return {};
}

Fault read_field(const Field& field, Hello& hello) {
  if (field.tag >= 1 && field.tag <= number_rules.size()) {
    const NumberRule& rule = number_rules[field.tag - 1U];
    std::uint64_t value = 0;
    if (!read_integer(field.value, value)) return {std::string(rule.name) + " is not an integer of 1 to 8 bytes"};
    set_number(hello, rule, value);
    return wrong_number(rule, value);
  }
  for (const ListRule& rule : list_rules) {
    if (field.tag != rule.tag) continue;
    auto& list = hello.*rule.list;
    Fault fault = wrong_name(rule, list, list.size(), as_text(field.value));
    if (fault.what.empty()) list.emplace_back(as_text(field.value));
    return fault;
  }
  if (field.tag == ordered_tag) {
    std::uint64_t value = 0;
    if (!read_integer(field.value, value) || value > 1) return {"ordered is neither 0 nor 1"};
    hello.ordered = value == 1;
    return {};
  }
  return field.is_skippable() ? Fault{} : Fault{"unknown tag " + std::to_string(field.tag)};
}

Status broken_hello(const std::string& what, StatusCode code = StatusCode::internal) {
  return {code, "decode hello: " + what};
}

}  // namespace

Status check_hello(const Hello& hello) {
  for (const NumberRule& rule : number_rules) {
    if (const Fault fault = wrong_number(rule, number_of(hello, rule)); !fault.what.empty())
      return {StatusCode::invalid_argument, "encode hello: " + fault.what};
  }
  for (const ListRule& rule : list_rules) {
    const auto& list = hello.*rule.list;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (const Fault fault = wrong_name(rule, list, i, list[i]); !fault.what.empty())
        return {StatusCode::invalid_argument, "encode hello: " + fault.what};
    }
  }
  return {};
}

void write_hello(const Hello& hello, BufferWriter& out) {
  const std::size_t start = out.size();
  out.prepare(header_bytes);
  out.advance(header_bytes);
  const Hello early;
  FieldWriter fields(out);
  for (const NumberRule& rule : number_rules) {
    const std::uint64_t value = number_of(hello, rule);
    if (rule.tag == 1 || value != number_of(early, rule)) fields.integer(rule.tag, value);
  }
  for (const ListRule& rule : list_rules) {
    for (const std::string& name : hello.*rule.list) fields.text(rule.tag, name);
  }
  if (hello.ordered) fields.integer(ordered_tag, 1);
  const FrameHeader header{.length = static_cast<std::uint32_t>(out.size() - start - header_bytes),
                           .type = FrameType::hello};
  // The writer's memory is writable; only its view of the written bytes is const.
  write_header(header, const_cast<std::byte*>(out.bytes().data()) + start);
}

Result<Hello> read_hello(ByteSpan body) {
  if (body.size() > max_hello_bytes) {
    return Status(StatusCode::resource_exhausted, "decode hello: length " + std::to_string(body.size()) + " exceeds " +
                                                      std::to_string(max_hello_bytes));
  }
  Hello hello;
  unsigned seen = 0;
  FieldReader reader(body);
  for (Field field; reader.next(field);) {
    const bool repeats = field.tag >= list_rules.front().tag && field.tag <= list_rules.back().tag;
    if (field.tag <= ordered_tag && !repeats) {
      const unsigned bit = 1U << field.tag;
      if ((seen & bit) != 0) return broken_hello("tag " + std::to_string(field.tag) + " is repeated");
      seen |= bit;
    }
    if (const Fault fault = read_field(field, hello); !fault.what.empty()) return broken_hello(fault.what, fault.code);
  }
  if (reader.malformed()) return broken_hello("a field ends after the body");
  if ((seen & (1U << number_rules.front().tag)) == 0) return broken_hello("version is missing");
  return hello;
}

}  // namespace trunkline::wire
