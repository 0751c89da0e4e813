// SPDX-License-Identifier: MIT
// Texts of misfits, and the ranges of numbers.
#include <trunkline/misfit.h>

#include <codec/codec_error.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace trunkline::plain {

namespace {

std::string_view spoken(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::null:
      return "null";
    case Value::Kind::boolean:
      return "a boolean";
    case Value::Kind::int64:
    case Value::Kind::uint64:
    case Value::Kind::float64:
      return "a number";
    case Value::Kind::string:
      return "a string";
    case Value::Kind::bytes:
      return "bytes";
    case Value::Kind::array:
      return "a list";
    case Value::Kind::object:
      return "an object";
  }
  return "something else";
}

/// A whole number that is written as a fraction, as some write all of theirs, counts as what it is.
std::optional<std::int64_t> whole(double number) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (!(number >= -exact && number <= exact) || number != std::floor(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

bool out_of_range(bool is_signed, int bits, Misfit& misfit) {
  return misfit.refuse("the number does not fit " + std::string(is_signed ? "int" : "uint") + std::to_string(bits));
}

}  // namespace

bool Misfit::refuse(std::string reason) {
  reason_ = std::move(reason);
  return false;
}

bool Misfit::expected(std::string_view what, const Value& value) {
  return refuse("expected " + std::string(what) + ", not " + std::string(spoken(value.kind())));
}

bool Misfit::missing(std::string_view field) { return refuse("field " + std::string(field) + " is missing"); }

void Misfit::in_member(std::string_view name) { path_.insert(0, "." + codec::printable(name)); }

void Misfit::in_element(std::size_t index) { path_.insert(0, "[" + std::to_string(index) + "]"); }

bool take_bool(const Value& value, bool& out, Misfit& misfit) {
  const bool* content = value.get_if<bool>();
  if (content == nullptr) return misfit.expected("a boolean", value);
  out = *content;
  return true;
}

bool take_signed(const Value& value, int bits, std::int64_t& out, Misfit& misfit) {
  if (const auto* number = value.get_if<std::int64_t>()) {
    out = *number;
  } else if (const auto* fraction = value.get_if<double>()) {
    const std::optional<std::int64_t> found = whole(*fraction);
    if (!found) return misfit.refuse("expected an integer, not a fraction");
    out = *found;
  } else if (value.is_integer()) {
    return out_of_range(true, bits, misfit);
  } else {
    return misfit.expected("an integer", value);
  }
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
  return (out <= most && out >= -most - 1) || out_of_range(true, bits, misfit);
}

bool take_unsigned(const Value& value, int bits, std::uint64_t& out, Misfit& misfit) {
  if (const auto* large = value.get_if<std::uint64_t>()) {
    out = *large;
  } else {
    std::int64_t number = 0;
    if (!take_signed(value, 64, number, misfit)) return false;
    if (number < 0) return out_of_range(false, bits, misfit);
    out = static_cast<std::uint64_t>(number);
  }
  return out <= std::numeric_limits<std::uint64_t>::max() >> (64 - bits) || out_of_range(false, bits, misfit);
}

bool take_number(const Value& value, double& out, Misfit& misfit) {
  if (!value.is_number()) return misfit.expected("a number", value);
  out = value.as_double();
  return true;
}

bool take_number(const Value& value, float& out, Misfit& misfit) {
  double number = 0;
  if (!take_number(value, number, misfit)) return false;
  if (std::isfinite(number) && std::abs(number) > static_cast<double>(std::numeric_limits<float>::max())) {
    return misfit.refuse("the number does not fit float");
  }
  out = static_cast<float>(number);
  return true;
}

bool take_text(Value& value, std::string& out, Misfit& misfit) {
  auto* content = value.get_if<std::string>();
  if (content == nullptr) return misfit.expected("a string", value);
  out = std::move(*content);
  return true;
}

bool take_bytes(Value& value, std::vector<std::byte>& out, Misfit& misfit) {
  if (auto* content = value.get_if<Value::Bytes>()) {
    out = std::move(*content);
    return true;
  }
  if (!value.is_string()) return misfit.expected("bytes", value);
  Result<Value::Bytes> decoded = value.decode_bytes();
  if (!decoded.is_ok()) return misfit.refuse("expected bytes, not a string that is no base64");
  out = *std::move(decoded);
  return true;
}

}  // namespace trunkline::plain
