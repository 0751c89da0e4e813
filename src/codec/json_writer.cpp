// SPDX-License-Identifier: MIT
// JsonWriter: writes texts, numbers and punctuation of JSON.
#include <codec/json_writer.h>

#include <codec/base64.h>
#include <codec/json_text.h>

#include <charconv>
#include <cmath>

namespace trunkline::codec {
namespace {

constexpr std::size_t max_number_bytes = 32;

}  // namespace

std::string_view JsonWriter::scalar(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      out().append(*value.get_if<bool>() ? "true" : "false");
      break;
    case Value::Kind::int64:
      integer(*value.get_if<std::int64_t>());
      break;
    case Value::Kind::uint64:
      integer(*value.get_if<std::uint64_t>());
      break;
    case Value::Kind::float64: {
      const double number = *value.get_if<double>();
      if (std::isnan(number)) return "nan has no form in json";
      if (std::isinf(number)) return "infinity has no form in json";
      real(number);
      break;
    }
    case Value::Kind::string:
      text(*value.get_if<std::string>());
      break;
    case Value::Kind::bytes:
      out().append("\"");
      append_base64(*value.get_if<Value::Bytes>(), out());
      out().append("\"");
      break;
    default:
      out().append("null");
      break;
  }
  return {};
}

std::string_view JsonWriter::begin(const Value& container) {
  out().append(container.is_array() ? "[" : "{");
  return {};
}

std::string_view JsonWriter::member_name(std::string_view name) {
  text(name);
  out().append(":");
  return {};
}

void JsonWriter::separate() { out().append(","); }

void JsonWriter::end(const Value& container) { out().append(container.is_array() ? "]" : "}"); }

void JsonWriter::text(std::string_view content) { append_json_text(content, out()); }

template <class T>
void JsonWriter::integer(T number) {
  char digits[max_number_bytes];
  const auto result = std::to_chars(digits, digits + sizeof digits, number);
  out().append(std::string_view(digits, static_cast<std::size_t>(result.ptr - digits)));
}

void JsonWriter::real(double number) {
  char digits[max_number_bytes];
  const auto result = std::to_chars(digits, digits + sizeof digits, number);
  const std::string_view spelled(digits, static_cast<std::size_t>(result.ptr - digits));
  out().append(spelled);
  if (spelled.find_first_of(".e") == std::string_view::npos) out().append(".0");
}

}  // namespace trunkline::codec
