// SPDX-License-Identifier: MIT
// Plain types as messages; see plain_type.h for which they are.
#pragma once

#include <trunkline/message_type.h>
#include <trunkline/plain_type.h>
#include <trunkline/plain_value.h>
#include <trunkline/type_description.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace trunkline {

namespace plain {

template <PlainType T>
const TypeDescription& description_of();

template <Structure T>
TypeDescription describe_structure() {
  TypeDescription made{.kind = TypeKind::structure, .name = type_name<T>()};
  const auto add = [&]<class... Field>(std::type_identity<std::tuple<Field&...>>) {
    std::size_t index = 0;
    (made.fields.push_back({field_names<T>[index++], &description_of<std::remove_const_t<Field>>}), ...);
  };
  add(std::type_identity<decltype(tie_fields(std::declval<T&>()))>());
  return made;
}

template <PlainType T>
TypeDescription describe() {
  if constexpr (std::same_as<T, bool>) {
    return {.kind = TypeKind::boolean};
  } else if constexpr (Enumeration<T>) {
    return describe<std::underlying_type_t<T>>();
  } else if constexpr (Integer<T>) {
    return {.kind = TypeKind::integer, .bits = 8 * int{sizeof(T)}, .is_signed = std::is_signed_v<T>};
  } else if constexpr (Floating<T>) {
    return {.kind = TypeKind::floating, .bits = 8 * int{sizeof(T)}};
  } else if constexpr (std::same_as<T, std::string>) {
    return {.kind = TypeKind::text};
  } else if constexpr (Bytes<T>) {
    return {.kind = TypeKind::bytes};
  } else if constexpr (std::same_as<T, Value>) {
    return {.kind = TypeKind::any};
  } else if constexpr (Optional<T>) {
    return {.kind = TypeKind::optional, .element = &description_of<typename T::value_type>};
  } else if constexpr (Map<T>) {
    return {.kind = TypeKind::map, .element = &description_of<typename T::mapped_type>};
  } else if constexpr (List<T>) {
    return {.kind = TypeKind::list, .element = &description_of<typename T::value_type>};
  } else {
    return describe_structure<T>();
  }
}

template <PlainType T>
const TypeDescription& description_of() {
  static const TypeDescription value = describe<T>();
  return value;
}

template <PlainType T>
Value object_to_value(const void* object) {
  return to_value(*static_cast<const T*>(object));
}

template <PlainType T>
bool object_from_value(Value& value, void* object, std::string& why) {
  Misfit misfit;
  if (from_value(value, *static_cast<T*>(object), misfit)) return true;
  why = misfit.text();
  return false;
}

}  // namespace plain

template <PlainType T>
struct MessageTraits<T, void> {
  static const MessageType& type() {
    static const MessageType value{.kind = MessageKind::plain,
                                   .type = &typeid(T),
                                   .default_codec = "msgpack",
                                   .clear = [](void* object) { *static_cast<T*>(object) = T(); },
                                   .describe = &plain::description_of<T>,
                                   .to_value = &plain::object_to_value<T>,
                                   .from_value = &plain::object_from_value<T>};
    return value;
  }
  static const void* address(const T& message) noexcept { return &message; }
  static void* address(T& message) noexcept { return &message; }
};

}  // namespace trunkline
