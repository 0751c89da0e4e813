// SPDX-License-Identifier: MIT
// PlainType: types that become a Value and are made of one; how, and what they are made of.
#pragma once

#include <trunkline/structure.h>
#include <trunkline/type_description.h>
#include <trunkline/value.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace trunkline {

namespace plain {

using Bytes = std::vector<std::byte>;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t size>
inline constexpr bool is_array<std::array<T, size>> = true;

/// std::map<std::string, ...> and the like.
template <class T>
concept Map = requires(T map, std::string key) {
  typename T::mapped_type;
  requires std::same_as<typename T::key_type, std::string>;
  map.emplace(std::move(key), std::declval<typename T::mapped_type>());
};
/// std::vector, std::deque, std::list, std::set and the like.
template <class T>
concept Sequence = !Map<T> && !std::same_as<T, std::string> && requires(T list, typename T::value_type element) {
  list.begin();
  list.size();
  list.insert(list.end(), std::move(element));
};

template <class T>
constexpr bool is_plain();

/// Structures are looked into where they are used: they may hold lists of themselves.
template <class T>
constexpr bool is_plain() {
  if constexpr (std::same_as<T, Value> || std::same_as<T, std::string> || std::same_as<T, Bytes> || std::is_enum_v<T>) {
    return true;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return !std::same_as<T, long double> && !std::same_as<T, wchar_t> && !std::same_as<T, char16_t> &&
           !std::same_as<T, char32_t> && !std::same_as<T, char8_t>;
  } else if constexpr (is_optional<T> || is_array<T> || Sequence<T>) {
    return is_plain<typename T::value_type>();
  } else if constexpr (Map<T>) {
    return is_plain<typename T::mapped_type>();
  } else {
    return Structure<T>;
  }
}

/// Where a value does not fit, and why.
struct Misfit {
  std::string path;
  std::string reason;

  /// Says that it is below this member or element.
  bool below(std::string_view step) { return path.insert(0, "/" + std::string(step)), false; }
  bool because(std::string why) { return reason = std::move(why), false; }
  bool expected(std::string_view what, const Value& found) {
    return because("expected " + std::string(what) + ", not " + std::string(to_string(found.kind())));
  }
  std::string text() const { return path.empty() ? reason : "at " + path + ": " + reason; }
};

template <class T>
Value to_value(const T& object);
template <class T>
bool from_value(const Value& from, T& object, Misfit& misfit);
template <class T>
const TypeDescription& describe();

template <class T>
bool integer_from(const Value& from, T& number, Misfit& misfit) {
  const auto take = [&](auto found) {
    if (!std::in_range<T>(found)) {
      return misfit.because(std::to_string(found) + " is not in " + std::to_string(std::numeric_limits<T>::min()) +
                            " to " + std::to_string(std::numeric_limits<T>::max()));
    }
    number = static_cast<T>(found);
    return true;
  };
  if (const auto* const found = from.get_if<std::int64_t>()) return take(*found);
  if (const auto* const found = from.get_if<std::uint64_t>()) return take(*found);
  return misfit.expected("an integer", from);
}

/// What std::in_range and std::to_string take for it.
template <class T>
using Integer = std::conditional_t<std::same_as<T, char>,
                                   std::conditional_t<std::is_signed_v<char>, signed char, unsigned char>, T>;

template <class T>
bool list_from(const Value& from, T& list, Misfit& misfit) {
  const auto* const elements = from.get_if<Value::Array>();
  if (elements == nullptr) return misfit.expected("an array", from);
  list.clear();
  for (std::size_t index = 0; index < elements->size(); ++index) {
    typename T::value_type element{};
    if (!from_value((*elements)[index], element, misfit)) return misfit.below(std::to_string(index));
    list.insert(list.end(), std::move(element));
  }
  return true;
}

template <class T>
bool array_from(const Value& from, T& array, Misfit& misfit) {
  const auto* const elements = from.get_if<Value::Array>();
  if (elements == nullptr) return misfit.expected("an array", from);
  if (elements->size() != array.size()) {
    return misfit.because("expected " + std::to_string(array.size()) + " elements, not " +
                          std::to_string(elements->size()));
  }
  for (std::size_t index = 0; index < array.size(); ++index) {
    if (!from_value((*elements)[index], array[index], misfit)) return misfit.below(std::to_string(index));
  }
  return true;
}

template <class T>
bool map_from(const Value& from, T& map, Misfit& misfit) {
  const auto* const members = from.get_if<Value::Object>();
  if (members == nullptr) return misfit.expected("an object", from);
  map.clear();
  for (const auto& [name, value] : *members) {
    typename T::mapped_type mapped{};
    if (!from_value(value, mapped, misfit)) return misfit.below(name);
    map.emplace(name, std::move(mapped));
  }
  return true;
}

template <class Field>
bool field_from(const Value& from, std::string_view name, Field& field, Misfit& misfit) {
  if (const Value* const value = from.find(name)) return from_value(*value, field, misfit) || misfit.below(name);
  if constexpr (is_optional<Field>) {
    field.reset();
    return true;
  } else {
    return misfit.because("it is missing") || misfit.below(name);
  }
}

template <class T>
bool structure_from(const Value& from, T& object, Misfit& misfit) {
  if (!from.is_object()) return misfit.expected("an object", from);
  const auto read = [&]<std::size_t... indices>(std::index_sequence<indices...>) {
    const auto fields = fields_of(object);
    return (field_from(from, field_names<T>()[indices], std::get<indices>(fields), misfit) && ...);
  };
  return read(std::make_index_sequence<field_names<T>().size()>());
}

template <class T>
bool from_value(const Value& from, T& object, Misfit& misfit) {
  if constexpr (std::same_as<T, Value>) {
    object = from;
    return true;
  } else if constexpr (std::same_as<T, bool>) {
    const bool* const found = from.get_if<bool>();
    if (found == nullptr) return misfit.expected("a boolean", from);
    object = *found;
    return true;
  } else if constexpr (std::is_enum_v<T>) {
    std::underlying_type_t<T> number{};
    if (!from_value(from, number, misfit)) return false;
    object = static_cast<T>(number);
    return true;
  } else if constexpr (std::is_integral_v<T>) {
    Integer<T> number{};
    if (!integer_from(from, number, misfit)) return false;
    object = static_cast<T>(number);
    return true;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!from.is_number()) return misfit.expected("a number", from);
    object = static_cast<T>(from.as_double());
    return true;
  } else if constexpr (std::same_as<T, std::string>) {
    const std::string* const found = from.get_if<std::string>();
    if (found == nullptr) return misfit.expected("a text", from);
    object = *found;
    return true;
  } else if constexpr (std::same_as<T, Bytes>) {
    Result<Bytes> found = from.decode_bytes();
    if (!found.is_ok()) return misfit.expected("bytes, in base64 where they are a text", from);
    object = *std::move(found);
    return true;
  } else if constexpr (is_optional<T>) {
    if (from.is_null()) return object.reset(), true;
    return from_value(from, object.emplace(), misfit);
  } else if constexpr (is_array<T>) {
    return array_from(from, object, misfit);
  } else if constexpr (Map<T>) {
    return map_from(from, object, misfit);
  } else if constexpr (Sequence<T>) {
    return list_from(from, object, misfit);
  } else {
    return structure_from(from, object, misfit);
  }
}

template <class T>
Value structure_value(const T& object) {
  Value::Object members;
  constexpr auto names = field_names<T>();
  members.reserve(names.size());
  const auto fields = fields_of(object);
  const auto add = [&]<std::size_t... indices>(std::index_sequence<indices...>) {
    (members.emplace_back(std::string(names[indices]), to_value(std::get<indices>(fields))), ...);
  };
  add(std::make_index_sequence<names.size()>());
  return members;
}

template <class T>
Value to_value(const T& object) {
  if constexpr (std::same_as<T, Value> || std::same_as<T, bool> || std::same_as<T, std::string> ||
                std::same_as<T, Bytes> || std::is_floating_point_v<T>) {
    return object;
  } else if constexpr (std::is_enum_v<T>) {
    return to_value(static_cast<std::underlying_type_t<T>>(object));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<Integer<T>>(object);
  } else if constexpr (is_optional<T>) {
    return object.has_value() ? to_value(*object) : Value();
  } else if constexpr (Map<T>) {
    Value::Object members;
    for (const auto& [name, value] : object) members.emplace_back(name, to_value(value));
    return members;
  } else if constexpr (is_array<T> || Sequence<T>) {
    Value::Array elements;
    elements.reserve(object.size());
    for (const typename T::value_type& element : object) elements.push_back(to_value(element));
    return elements;
  } else {
    return structure_value(object);
  }
}

template <class T>
TypeDescription structure_description() {
  TypeDescription made{.kind = TypeKind::structure, .name = structure::name_of_type<T>()};
  const auto add = [&]<std::size_t... indices>(std::index_sequence<indices...>) {
    using Fields = decltype(fields_of(std::declval<T&>()));
    (made.fields.push_back(
         {field_names<T>()[indices], &describe<std::remove_reference_t<std::tuple_element_t<indices, Fields>>>}),
     ...);
  };
  add(std::make_index_sequence<field_names<T>().size()>());
  return made;
}

template <class T>
TypeDescription make_description() {
  constexpr int bits = static_cast<int>(sizeof(T) * 8);
  if constexpr (std::same_as<T, Value>) {
    return {.kind = TypeKind::any};
  } else if constexpr (std::same_as<T, bool>) {
    return {.kind = TypeKind::boolean};
  } else if constexpr (std::is_enum_v<T>) {
    return make_description<std::underlying_type_t<T>>();
  } else if constexpr (std::is_integral_v<T>) {
    return {.kind = TypeKind::integer, .bits = bits, .is_signed = std::is_signed_v<T>};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {.kind = TypeKind::floating, .bits = bits};
  } else if constexpr (std::same_as<T, std::string>) {
    return {.kind = TypeKind::text};
  } else if constexpr (std::same_as<T, Bytes>) {
    return {.kind = TypeKind::bytes};
  } else if constexpr (is_optional<T>) {
    return {.kind = TypeKind::optional, .element = &describe<typename T::value_type>};
  } else if constexpr (Map<T>) {
    return {.kind = TypeKind::map, .element = &describe<typename T::mapped_type>};
  } else if constexpr (is_array<T> || Sequence<T>) {
    return {.kind = TypeKind::list, .element = &describe<typename T::value_type>};
  } else {
    return structure_description<T>();
  }
}

template <class T>
const TypeDescription& describe() {
  static const TypeDescription description = make_description<T>();
  return description;
}

}  // namespace plain

/// bool, integers, float, double, enumerations (as their numbers), std::string, std::vector<std::byte> (bytes), Value;
/// std::optional, std::array, lists, sets, and maps from std::string of these; and any Structure of these.
template <class T>
concept PlainType = plain::is_plain<T>();

}  // namespace trunkline
