// SPDX-License-Identifier: MIT
// JsonSequence: scans brackets, quotes and white space with seven states.
#include "cli/json/json_sequence.h"

#include <utility>

namespace trunkline::cli::json {
namespace {

constexpr bool is_json_space(char byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }
constexpr bool is_open(char byte) { return byte == '{' || byte == '['; }
constexpr bool is_close(char byte) { return byte == '}' || byte == ']'; }

}  // namespace

void JsonSequence::append(std::string_view text) {
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    at_ -= begin_;
    begin_ = 0;
  }
  buffer_ += text;
}

std::optional<JsonText> JsonSequence::next() {
  while (at_ < buffer_.size()) {
    if (where_ == Where::between && is_json_space(buffer_[at_])) {
      count(std::string_view(buffer_).substr(at_, 1));
      begin_ = ++at_;
      continue;
    }
    const bool is_after_scalar =
        where_ == Where::scalar && (is_json_space(buffer_[at_]) || is_open(buffer_[at_]) || buffer_[at_] == '"');
    if (is_after_scalar) return take();
    if (step(buffer_[at_++])) return take();
  }
  if (finished_ && where_ != Where::between) return take();
  return std::nullopt;
}

/// Returns true if `byte` completes a value.
bool JsonSequence::step(char byte) {
  switch (where_) {
    case Where::between:
      where_ = byte == '"' ? Where::text : is_open(byte) ? Where::nested : Where::scalar;
      depth_ = is_open(byte) ? 1 : 0;
      return false;
    case Where::scalar:
      return false;
    case Where::text:
      if (byte == '\\') where_ = Where::escape;
      return byte == '"';
    case Where::escape:
      where_ = Where::text;
      return false;
    case Where::nested:
      if (byte == '"') where_ = Where::nested_text;
      if (is_open(byte)) ++depth_;
      return is_close(byte) && --depth_ == 0;
    case Where::nested_text:
      if (byte == '"') where_ = Where::nested;
      if (byte == '\\') where_ = Where::nested_escape;
      return false;
    case Where::nested_escape:
      where_ = Where::nested_text;
      return false;
  }
  return false;
}

JsonText JsonSequence::take() {
  JsonText value{buffer_.substr(begin_, at_ - begin_), line_, column_};
  count(value.text);
  begin_ = at_;
  where_ = Where::between;
  return value;
}

void JsonSequence::count(std::string_view passed) noexcept {
  for (const char byte : passed) {
    ++column_;
    if (byte == '\n') ++line_, column_ = 1;
  }
}

}  // namespace trunkline::cli::json
