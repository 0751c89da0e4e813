// SPDX-License-Identifier: MIT
// to_value, from_value: plain types as Values and back.
#pragma once

#include <trunkline/misfit.h>
#include <trunkline/plain_type.h>
#include <trunkline/value.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace trunkline::plain {

template <PlainType T>
Value to_value(const T& object);

template <Structure T>
Value structure_to_value(const T& object) {
  Value::Object members;
  members.reserve(field_names<T>.size());
  std::apply(
      [&](const auto&... field) {
        std::size_t index = 0;
        (members.emplace_back(std::string(field_names<T>[index++]), to_value(field)), ...);
      },
      tie_fields(object));
  return members;
}

template <PlainType T>
Value to_value(const T& object) {
  if constexpr (std::same_as<T, bool> || Integer<T> || Floating<T> || std::same_as<T, std::string> ||
                std::same_as<T, Value> || std::same_as<T, std::vector<std::byte>>) {
    return object;
  } else if constexpr (std::same_as<T, Slice>) {
    return Value::bytes(object.bytes());
  } else if constexpr (Enumeration<T>) {
    return static_cast<std::underlying_type_t<T>>(object);
  } else if constexpr (Optional<T>) {
    return object.has_value() ? to_value(*object) : Value();
  } else if constexpr (Map<T>) {
    Value::Object members;
    for (const auto& [name, element] : object) {
      members.emplace_back(name, to_value<typename T::mapped_type>(element));
    }
    return members;
  } else if constexpr (List<T>) {
    Value::Array elements;
    for (const auto& element : object) elements.push_back(to_value<typename T::value_type>(element));
    return elements;
  } else {
    return structure_to_value(object);
  }
}

/// Moves out of `value` what it can. False if it does not fit; `object` is unspecified then.
template <PlainType T>
bool from_value(Value& value, T& object, Misfit& misfit);

template <Integer T>
bool integer_from_value(Value& value, T& object, Misfit& misfit) {
  std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t> number = 0;
  if constexpr (std::is_signed_v<T>) {
    if (!take_signed(value, static_cast<int>(8 * sizeof(T)), number, misfit)) return false;
  } else {
    if (!take_unsigned(value, static_cast<int>(8 * sizeof(T)), number, misfit)) return false;
  }
  object = static_cast<T>(number);
  return true;
}

template <List T>
bool list_from_value(Value& value, T& object, Misfit& misfit) {
  auto* elements = value.get_if<Value::Array>();
  if (elements == nullptr) return misfit.expected("a list", value);
  if constexpr (is_array<T>) {
    if (elements->size() != object.size()) {
      return misfit.refuse("expected " + std::to_string(object.size()) + " elements, not " +
                           std::to_string(elements->size()));
    }
  } else {
    object.clear();
  }
  for (std::size_t i = 0; i < elements->size(); ++i) {
    typename T::value_type element{};
    if (!from_value((*elements)[i], element, misfit)) {
      misfit.in_element(i);
      return false;
    }
    if constexpr (is_array<T>) {
      object[i] = std::move(element);
    } else {
      object.insert(object.end(), std::move(element));
    }
  }
  return true;
}

template <Map T>
bool map_from_value(Value& value, T& object, Misfit& misfit) {
  auto* members = value.get_if<Value::Object>();
  if (members == nullptr) return misfit.expected("an object", value);
  object.clear();
  for (auto& [name, member] : *members) {
    typename T::mapped_type element{};
    if (!from_value(member, element, misfit)) {
      misfit.in_member(name);
      return false;
    }
    object.insert_or_assign(std::move(name), std::move(element));
  }
  return true;
}

template <Structure T>
bool structure_from_value(Value& value, T& object, Misfit& misfit) {
  if (!value.is_object()) return misfit.expected("an object", value);
  std::size_t index = 0;
  const auto take = [&](auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    const std::string_view name = field_names<T>[index++];
    Value* const member = value.find(name);
    if (member == nullptr) {
      if constexpr (Optional<Field>) {
        field.reset();
        return true;
      } else {
        return misfit.missing(name);
      }
    }
    if (from_value(*member, field, misfit)) return true;
    misfit.in_member(name);
    return false;
  };
  return std::apply([&](auto&... field) { return (take(field) && ...); }, tie_fields(object));
}

template <PlainType T>
bool from_value(Value& value, T& object, Misfit& misfit) {
  if constexpr (std::same_as<T, bool>) {
    return take_bool(value, object, misfit);
  } else if constexpr (Integer<T>) {
    return integer_from_value(value, object, misfit);
  } else if constexpr (Floating<T>) {
    return take_number(value, object, misfit);
  } else if constexpr (Enumeration<T>) {
    std::underlying_type_t<T> number{};
    if (!integer_from_value(value, number, misfit)) return false;
    object = static_cast<T>(number);
    return true;
  } else if constexpr (std::same_as<T, std::string>) {
    return take_text(value, object, misfit);
  } else if constexpr (std::same_as<T, std::vector<std::byte>>) {
    return take_bytes(value, object, misfit);
  } else if constexpr (std::same_as<T, Slice>) {
    std::vector<std::byte> content;
    if (!take_bytes(value, content, misfit)) return false;
    object = Slice::copy_of(ByteSpan(content));
    return true;
  } else if constexpr (std::same_as<T, Value>) {
    object = std::move(value);
    return true;
  } else if constexpr (Optional<T>) {
    if (value.is_null()) return object.reset(), true;
    return from_value(value, object.emplace(), misfit);
  } else if constexpr (Map<T>) {
    return map_from_value(value, object, misfit);
  } else if constexpr (List<T>) {
    return list_from_value(value, object, misfit);
  } else {
    return structure_from_value(value, object, misfit);
  }
}

}  // namespace trunkline::plain
