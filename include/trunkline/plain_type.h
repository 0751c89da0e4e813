// SPDX-License-Identifier: MIT
// PlainType: types that become a Value and are made of one.
#pragma once

#include <trunkline/structure.h>
#include <trunkline/value.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
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

/// What std::in_range and std::to_string take for it.
template <class T>
using Integer = std::conditional_t<std::same_as<T, char>,
                                   std::conditional_t<std::is_signed_v<char>, signed char, unsigned char>, T>;

}  // namespace plain

/// bool, integers, float, double, enumerations (as their numbers), std::string, std::vector<std::byte> (bytes), Value;
/// std::optional, std::array, lists, sets, and maps from std::string of these; and any Structure of these.
template <class T>
concept PlainType = plain::is_plain<T>();

}  // namespace trunkline
