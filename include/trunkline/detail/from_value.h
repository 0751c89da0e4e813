// SPDX-License-Identifier: MIT
// from_value(): converts a Value to a plain type.
#pragma once

#include <trunkline/detail/conversion_error.h>
#include <trunkline/detail/plain_type.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace trunkline::detail {

template <class T>
bool from_value(const Value& from, T& object, ConversionError& error);

template <class T>
bool integer_from(const Value& from, T& number, ConversionError& error) {
  const auto take = [&](auto found) {
    if (!std::in_range<T>(found)) {
      return error.set_reason("the number is not in " + std::to_string(std::numeric_limits<T>::min()) + " to " +
                              std::to_string(std::numeric_limits<T>::max()));
    }
    number = static_cast<T>(found);
    return true;
  };
  if (const auto* const found = from.get_if<std::int64_t>()) return take(*found);
  if (const auto* const found = from.get_if<std::uint64_t>()) return take(*found);
  return error.set_expected("an integer", from);
}

template <class T>
bool list_from(const Value& from, T& list, ConversionError& error) {
  const auto* const elements = from.get_if<Value::Array>();
  if (elements == nullptr) return error.set_expected("an array", from);
  list.clear();
  for (std::size_t index = 0; index < elements->size(); ++index) {
    typename T::value_type element{};
    if (!from_value((*elements)[index], element, error)) return error.prepend_step(std::to_string(index));
    list.insert(list.end(), std::move(element));
  }
  return true;
}

template <class T>
bool array_from(const Value& from, T& array, ConversionError& error) {
  const auto* const elements = from.get_if<Value::Array>();
  if (elements == nullptr) return error.set_expected("an array", from);
  if (elements->size() != array.size()) {
    return error.set_reason("expected " + std::to_string(array.size()) + " elements, not " +
                            std::to_string(elements->size()));
  }
  for (std::size_t index = 0; index < array.size(); ++index) {
    if (!from_value((*elements)[index], array[index], error)) return error.prepend_step(std::to_string(index));
  }
  return true;
}

template <class T>
bool map_from(const Value& from, T& map, ConversionError& error) {
  const auto* const members = from.get_if<Value::Object>();
  if (members == nullptr) return error.set_expected("an object", from);
  map.clear();
  for (const auto& [name, value] : *members) {
    typename T::mapped_type mapped{};
    if (!from_value(value, mapped, error)) return error.prepend_step(name);
    map.emplace(name, std::move(mapped));
  }
  return true;
}

/// Sets a field that is not in the message to its value in an object that has just been made.
template <class T, std::size_t index>
void set_default(T& object) {
  const T made{};
  std::get<index>(fields_of(object)) = std::get<index>(fields_of(made));
}

template <class T, std::size_t index>
bool field_from(const Value& from, T& object, ConversionError& error) {
  constexpr std::string_view name = field_names<T>()[index];
  auto& field = std::get<index>(fields_of(object));
  if (const Value* const value = from.find(name)) return from_value(*value, field, error) || error.prepend_step(name);
  set_default<T, index>(object);
  return true;
}

template <class T>
bool structure_from(const Value& from, T& object, ConversionError& error) {
  if (!from.is_object()) return error.set_expected("an object", from);
  const auto read = [&]<std::size_t... indices>(std::index_sequence<indices...>) {
    return (field_from<T, indices>(from, object, error) && ...);
  };
  return read(std::make_index_sequence<field_names<T>().size()>());
}

template <class T>
bool from_value(const Value& from, T& object, ConversionError& error) {
  if constexpr (std::same_as<T, Value>) {
    object = from;
    return true;
  } else if constexpr (std::same_as<T, bool>) {
    const bool* const found = from.get_if<bool>();
    if (found == nullptr) return error.set_expected("a boolean", from);
    object = *found;
    return true;
  } else if constexpr (std::is_enum_v<T>) {
    std::underlying_type_t<T> number{};
    if (!from_value(from, number, error)) return false;
    object = static_cast<T>(number);
    return true;
  } else if constexpr (std::is_integral_v<T>) {
    Integer<T> number{};
    if (!integer_from(from, number, error)) return false;
    object = static_cast<T>(number);
    return true;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!from.is_number()) return error.set_expected("a number", from);
    const double number = from.as_double();
    if (std::isfinite(number) && std::abs(number) > static_cast<double>(std::numeric_limits<T>::max())) {
      return error.set_reason("it is too large a number for " + std::to_string(sizeof(T) * 8) + " bits");
    }
    object = static_cast<T>(number);
    return true;
  } else if constexpr (std::same_as<T, std::string>) {
    const std::string* const found = from.get_if<std::string>();
    if (found == nullptr) return error.set_expected("a text", from);
    object = *found;
    return true;
  } else if constexpr (std::same_as<T, Bytes>) {
    Result<Bytes> found = from.decode_bytes();
    if (!found.is_ok()) return error.set_expected("bytes, in base64 where they are a text", from);
    object = *std::move(found);
    return true;
  } else if constexpr (is_optional<T>) {
    if (from.is_null()) return object.reset(), true;
    return from_value(from, object.emplace(), error);
  } else if constexpr (is_array<T>) {
    return array_from(from, object, error);
  } else if constexpr (Map<T>) {
    return map_from(from, object, error);
  } else if constexpr (Sequence<T>) {
    return list_from(from, object, error);
  } else if constexpr (Structure<T>) {
    return structure_from(from, object, error);
  } else {
    return false;  // to_value() says what is wrong with T
  }
}

}  // namespace trunkline::detail
