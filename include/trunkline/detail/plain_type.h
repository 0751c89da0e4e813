// SPDX-License-Identifier: MIT
// is_plain: whether a type converts to a Value and back.
#pragma once

#include <trunkline/detail/structure.h>
#include <trunkline/value.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace trunkline::detail {

using Bytes = std::vector<std::byte>;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t size>
inline constexpr bool is_array<std::array<T, size>> = true;

/// A container such as std::map<std::string, ...>.
template <class T>
concept Map = requires(T map, std::string key) {
  typename T::mapped_type;
  requires std::same_as<typename T::key_type, std::string>;
  map.emplace(std::move(key), std::declval<typename T::mapped_type>());
};
/// A container such as std::vector, std::deque, std::list or std::set.
template <class T>
concept Sequence = !Map<T> && !std::same_as<T, std::string> && requires(T list, typename T::value_type element) {
  list.begin();
  list.size();
  list.insert(list.end(), std::move(element));
};

template <class T>
constexpr bool is_plain();

/// Returns true if T is plain. Members of a structure are checked where they are used: it may contain lists of itself.
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

/// The type that std::in_range and std::to_string accept for T.
template <class T>
using Integer = std::conditional_t<std::same_as<T, char>,
                                   std::conditional_t<std::is_signed_v<char>, signed char, unsigned char>, T>;

}  // namespace trunkline::detail
