// SPDX-License-Identifier: MIT
// to_value(): converts a plain type to a Value. describe(): its TypeDescription.
#pragma once

#include <trunkline/detail/plain_type.h>
#include <trunkline/type_description.h>

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace trunkline::detail {

template <class T>
Value to_value(const T& object);
template <class T>
const TypeDescription& describe();

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
    static_assert(
        Structure<T>,
        "trunkline: a member of a message is of a type that <trunkline/plain.h> cannot send, such as a pointer, "
        "a std::string_view or a class with private members (see TRUNKLINE_FIELDS)");
    if constexpr (Structure<T>) return structure_value(object);
  }
}

template <class T>
TypeDescription structure_description() {
  TypeDescription made{.kind = TypeKind::structure, .name = detail::name_of_type<T>()};
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
  } else if constexpr (Structure<T>) {
    return structure_description<T>();
  } else {
    return {};
  }
}

template <class T>
const TypeDescription& describe() {
  static const TypeDescription description = make_description<T>();
  return description;
}

}  // namespace trunkline::detail
