// SPDX-License-Identifier: MIT
// Value: JSON-like data without a schema, carried by the json and msgpack codecs.
#pragma once

#include <trunkline/message.h>
#include <trunkline/result.h>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace trunkline {

/// A value: null, a boolean, a number, text, bytes, an array or an object. It is a regular value type: copies are deep.
///
/// Numbers: an integer is an int64 if it fits, otherwise a uint64; every other number is a double. Text is UTF-8. Bytes
/// are sent as a base64 string in JSON (and are received as that string, see decode_bytes()) and as `bin` in
/// MessagePack. Objects keep the order of their members, whose names must be unique; looking up a member takes linear
/// time. Codecs refuse more than 64 levels of nesting, and more nodes than CodecLimits::max_value_nodes when they
/// decode.
class TRUNKLINE_API Value {
 public:
  using Bytes = std::vector<std::byte>;
  using Array = std::vector<Value>;
  using Member = std::pair<std::string, Value>;
  using Object = std::vector<Member>;

  enum class Kind : std::uint8_t { null, boolean, int64, uint64, float64, string, bytes, array, object };

  Value() noexcept = default;
  Value(std::nullptr_t) noexcept {}  // NOLINT: implicit by design, as are those below
  template <std::same_as<bool> T>
  Value(T value) noexcept : data_(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool> && !std::same_as<T, char>) Value(T value)
  noexcept {
    if (std::in_range<std::int64_t>(value)) {
      data_ = static_cast<std::int64_t>(value);
    } else {
      data_ = static_cast<std::uint64_t>(value);
    }
  }
  template <std::floating_point T>
  Value(T value) noexcept : data_(static_cast<double>(value)) {}
  Value(const char* text) : data_(std::string(text)) {}
  Value(std::string_view text) : data_(std::string(text)) {}
  Value(std::string text) noexcept : data_(std::move(text)) {}
  Value(Bytes bytes) noexcept : data_(std::move(bytes)) {}
  Value(Array elements) noexcept : data_(std::move(elements)) {}
  Value(Object members) noexcept : data_(std::move(members)) {}

  /// Prevents the conversion of a pointer to a boolean.
  template <class T>
  Value(const T*) = delete;

  static Value array(std::initializer_list<Value> elements = {}) { return Array(elements); }
  /// Returns an object, e.g. `Value::object({{"name", "x"}, {"sizes", Value::array({1, 2})}})`.
  static Value object(std::initializer_list<Member> members = {}) { return Object(members); }
  static Value bytes(ByteSpan content) { return Bytes(content.begin(), content.end()); }

  Kind kind() const noexcept { return static_cast<Kind>(data_.index()); }
  bool is_null() const noexcept { return kind() == Kind::null; }
  bool is_integer() const noexcept { return kind() == Kind::int64 || kind() == Kind::uint64; }
  bool is_number() const noexcept { return is_integer() || kind() == Kind::float64; }
  bool is_string() const noexcept { return kind() == Kind::string; }
  bool is_array() const noexcept { return kind() == Kind::array; }
  bool is_object() const noexcept { return kind() == Kind::object; }

  /// Returns the content if its type is exactly T (one of bool, std::int64_t, std::uint64_t, double, std::string,
  /// Bytes, Array, Object), otherwise null.
  template <class T>
  const T* get_if() const noexcept {
    return std::get_if<T>(&data_);
  }
  template <class T>
  T* get_if() noexcept {
    return std::get_if<T>(&data_);
  }

  /// These functions return the content. They throw StatusError (invalid_argument, naming both kinds) for another kind.
  /// Integers convert to each other where they fit, and any number converts to double, rounded to the nearest.
  bool as_bool() const;
  std::int64_t as_int64() const;
  std::uint64_t as_uint64() const;
  double as_double() const;
  const std::string& as_string() const;
  const Bytes& as_bytes() const;
  const Array& as_array() const;
  Array& as_array();
  const Object& as_object() const;
  Object& as_object();

  /// Returns the bytes, or those that a padded base64 string encodes (RFC 4648 section 4). Error: invalid_argument.
  Result<Bytes> decode_bytes() const;

  /// Returns the number of elements of an array or members of an object; 0 for all other kinds.
  std::size_t size() const noexcept;
  /// Returns the first member of that name; null if there is none or if this is not an object.
  const Value* find(std::string_view name) const noexcept;
  Value* find(std::string_view name) noexcept;
  /// These functions throw StatusError: not_found if there is no such member, out_of_range past the last element,
  /// invalid_argument if this is not an object or array.
  const Value& at(std::string_view name) const;
  const Value& at(std::size_t index) const;
  /// Returns the member of that name, which is added as null if it is missing. Null becomes an object. Throws
  /// StatusError for other kinds.
  Value& operator[](std::string_view name);
  /// Appends the element. Null becomes an array. Throws StatusError for other kinds.
  Value& push_back(Value element);

  /// Compares two values. Their kinds must be equal (1 is not 1.0); the order of an object's members does not matter.
  friend TRUNKLINE_API bool operator==(const Value& a, const Value& b);

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Bytes, Array, Object> data_;
};

/// Returns the enumerator's name, e.g. "float64".
TRUNKLINE_API std::string_view to_string(Value::Kind kind) noexcept;

/// The default codec of a Value is json.
template <>
struct MessageTraits<Value> {
  static TRUNKLINE_API const MessageType& type();
  static const void* address(const Value& message) noexcept { return &message; }
  static void* address(Value& message) noexcept { return &message; }
};

}  // namespace trunkline
