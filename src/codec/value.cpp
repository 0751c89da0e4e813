// SPDX-License-Identifier: MIT
// Value: the accessors, and the MessageType.
#include <trunkline/value.h>

#include <codec/base64.h>

#include <algorithm>
#include <array>

namespace trunkline {
namespace {

[[noreturn]] void throw_wrong_kind(std::string_view wanted, Value::Kind found) {
  std::string text = "value: expected ";
  text.append(wanted).append(", found ").append(to_string(found));
  throw StatusError(Status(StatusCode::invalid_argument, text));
}

template <class T>
const T& checked(const Value& value, std::string_view wanted) {
  const T* content = value.get_if<T>();
  if (content == nullptr) throw_wrong_kind(wanted, value.kind());
  return *content;
}

std::vector<const Value::Member*> sorted_members(const Value::Object& object) {
  std::vector<const Value::Member*> members;
  members.reserve(object.size());
  for (const auto& member : object) members.push_back(&member);
  std::stable_sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  return members;
}

bool same_members(const Value::Object& a, const Value::Object& b) {
  if (a.size() != b.size()) return false;
  if (std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) { return x.first == y.first; })) {
    return std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) { return x.second == y.second; });
  }
  const auto left = sorted_members(a);
  const auto right = sorted_members(b);
  return std::equal(left.begin(), left.end(), right.begin(),
                    [](const auto* x, const auto* y) { return x->first == y->first && x->second == y->second; });
}

}  // namespace

std::string_view to_string(Value::Kind kind) noexcept {
  static constexpr std::array<std::string_view, 9> names = {"null",   "boolean", "int64", "uint64", "float64",
                                                            "string", "bytes",   "array", "object"};
  const auto index = static_cast<std::size_t>(kind);
  return index < names.size() ? names[index] : "unknown";
}

bool Value::as_bool() const { return checked<bool>(*this, "boolean"); }

std::int64_t Value::as_int64() const {
  if (kind() == Kind::uint64) {
    throw StatusError(Status(StatusCode::invalid_argument, "value: integer exceeds the range of int64"));
  }
  return checked<std::int64_t>(*this, "int64");
}

std::uint64_t Value::as_uint64() const {
  if (const auto* large = get_if<std::uint64_t>()) return *large;
  const auto number = checked<std::int64_t>(*this, "uint64");
  if (number < 0)
    throw StatusError(Status(StatusCode::invalid_argument, "value: expected uint64, found a negative integer"));
  return static_cast<std::uint64_t>(number);
}

double Value::as_double() const {
  if (const auto* number = get_if<std::int64_t>()) return static_cast<double>(*number);
  if (const auto* number = get_if<std::uint64_t>()) return static_cast<double>(*number);
  return checked<double>(*this, "float64");
}

const std::string& Value::as_string() const { return checked<std::string>(*this, "string"); }
const Value::Bytes& Value::as_bytes() const { return checked<Bytes>(*this, "bytes"); }
const Value::Array& Value::as_array() const { return checked<Array>(*this, "array"); }
Value::Array& Value::as_array() { return const_cast<Array&>(checked<Array>(*this, "array")); }
const Value::Object& Value::as_object() const { return checked<Object>(*this, "object"); }
Value::Object& Value::as_object() { return const_cast<Object&>(checked<Object>(*this, "object")); }

Result<Value::Bytes> Value::decode_bytes() const {
  if (const auto* content = get_if<Bytes>()) return *content;
  const auto* text = get_if<std::string>();
  if (text == nullptr) {
    return Status(StatusCode::invalid_argument,
                  std::string("value: expected bytes or a base64 string, found ").append(to_string(kind())));
  }
  auto content = codec::decode_base64(*text);
  if (!content) return Status(StatusCode::invalid_argument, "value: string is not padded base64");
  return std::move(*content);
}

std::size_t Value::size() const noexcept {
  if (const auto* elements = get_if<Array>()) return elements->size();
  if (const auto* members = get_if<Object>()) return members->size();
  return 0;
}

const Value* Value::find(std::string_view name) const noexcept {
  const auto* members = get_if<Object>();
  if (members == nullptr) return nullptr;
  for (const auto& member : *members) {
    if (member.first == name) return &member.second;
  }
  return nullptr;
}

Value* Value::find(std::string_view name) noexcept { return const_cast<Value*>(std::as_const(*this).find(name)); }

const Value& Value::at(std::string_view name) const {
  checked<Object>(*this, "object");
  const Value* found = find(name);
  if (found == nullptr) {
    throw StatusError(Status(StatusCode::not_found, std::string("value: no member named ").append(name)));
  }
  return *found;
}

const Value& Value::at(std::size_t index) const {
  const auto& elements = checked<Array>(*this, "array");
  if (index >= elements.size()) {
    throw StatusError(Status(StatusCode::out_of_range, "value: index " + std::to_string(index) + " in an array of " +
                                                           std::to_string(elements.size())));
  }
  return elements[index];
}

Value& Value::operator[](std::string_view name) {
  if (is_null()) data_ = Object();
  if (Value* found = find(name)) return *found;
  return as_object().emplace_back(std::string(name), Value()).second;
}

Value& Value::push_back(Value element) {
  if (is_null()) data_ = Array();
  return as_array().emplace_back(std::move(element));
}

bool operator==(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  if (const auto* members = a.get_if<Value::Object>()) return same_members(*members, *b.get_if<Value::Object>());
  return a.data_ == b.data_;
}

const MessageType& MessageTraits<Value>::type() {
  static const MessageType value{
      .kind = MessageKind::value, .type = &typeid(Value), .default_codec = "json", .clear = [](void* object) {
        *static_cast<Value*>(object) = Value();
      }};
  return value;
}

}  // namespace trunkline
