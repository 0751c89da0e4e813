// SPDX-License-Identifier: MIT
// ValueWriter: visits the elements of a Value while it is encoded.
#include <codec/value_writer.h>

#include <base/utf8.h>
#include <codec/codec_error.h>
#include <codec/value_limits.h>

namespace trunkline::codec {

Status ValueWriter::write(std::string_view codec, const Value& value, BufferWriter& out) {
  const std::size_t start = out.size();
  out_ = &out;
  path_.clear();
  const std::string_view reason = walk(value, 0);
  if (reason.empty()) return Status::ok();
  out.truncate(start);
  std::string text;
  if (!path_.empty()) text.append("at ").append(path_).append(": ");
  return encode_error(codec, text.append(reason));
}

std::string_view ValueWriter::walk(const Value& value, std::size_t depth) {
  const auto* elements = value.get_if<Value::Array>();
  const auto* members = value.get_if<Value::Object>();
  if (elements == nullptr && members == nullptr) {
    const auto* text = value.get_if<std::string>();
    if (text != nullptr && !base::is_utf8(*text)) return "string is not utf-8; use bytes";
    return scalar(value);
  }
  if (depth == max_value_depth) return "nesting exceeds 64 levels";
  std::string_view reason = begin(value);
  if (reason.empty())
    reason = elements != nullptr ? walk_array(*elements, depth + 1) : walk_object(*members, depth + 1);
  if (reason.empty()) end(value);
  return reason;
}

std::string_view ValueWriter::walk_array(const Value::Array& elements, std::size_t depth) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) separate();
    const std::string_view reason = walk(elements[i], depth);
    if (!reason.empty()) {
      path_.insert(0, "/" + std::to_string(i));
      return reason;
    }
  }
  return {};
}

std::string_view ValueWriter::walk_object(const Value::Object& members, std::size_t depth) {
  if (has_repeated_name(members)) return "object has a repeated name";
  bool first = true;
  for (const auto& [name, value] : members) {
    if (!first) separate();
    first = false;
    std::string_view reason = base::is_utf8(name) ? member_name(name) : "name is not utf-8";
    if (reason.empty()) reason = walk(value, depth);
    if (!reason.empty()) {
      path_.insert(0, "/" + printable(name));
      return reason;
    }
  }
  return {};
}

}  // namespace trunkline::codec
