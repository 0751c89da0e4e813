// SPDX-License-Identifier: MIT
// PlainType: the types that are messages without a definition.
#pragma once

#include <trunkline/aggregate_names.h>
#include <trunkline/aggregate_tie.h>
#include <trunkline/fields.h>
#include <trunkline/slice.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace trunkline {

class Value;

namespace plain {

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                  !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;
template <class T>
concept Floating = std::same_as<T, float> || std::same_as<T, double>;
/// Travels as its number.
template <class T>
concept Enumeration = std::is_enum_v<T> && Integer<std::underlying_type_t<T>> && !std::same_as<T, std::byte>;
template <class T>
concept Bytes = std::same_as<T, std::vector<std::byte>> || std::same_as<T, Slice>;
template <class T>
concept Scalar = std::same_as<T, bool> || Integer<T> || Floating<T> || Enumeration<T> || std::same_as<T, std::string> ||
                 Bytes<T> || std::same_as<T, Value>;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t size>
inline constexpr bool is_array<std::array<T, size>> = true;

template <class T>
concept Optional = is_optional<T>;
/// std::map, std::unordered_map and their like, of texts.
template <class T>
concept Map = std::same_as<typename T::key_type, std::string> && requires(T& map) {
  typename T::mapped_type;
  map.insert_or_assign(std::string(), std::declval<typename T::mapped_type>());
  map.begin();
  map.clear();
};
/// std::vector, std::list, std::set and their like, and std::array.
template <class T>
concept List = is_array<T> || (!Scalar<T> && !requires { typename T::mapped_type; } && requires(T& list) {
  list.insert(list.end(), std::declval<typename T::value_type>());
  list.begin();
  list.clear();
});

/// A class with a codec of its own is none of ours.
template <class T>
concept HasOwnCodec = requires {
  T::trunkline_codec;
};

template <class T>
constexpr bool is_plain();

/// What a list or map may hold. A class may hold lists of itself, so it is not looked into.
template <class T>
constexpr bool is_element() {
  if constexpr (NamesItsFields<T>) {
    return true;
  } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && !List<T>) {
    return !HasOwnCodec<T>;
  } else {
    return is_plain<T>();
  }
}

template <class T>
constexpr bool is_plain_aggregate() {
  if constexpr (has_findable_fields<T>()) {
    return []<class... Field>(std::type_identity<std::tuple<Field&...>>) {
      return (is_plain<std::remove_const_t<Field>>() && ...);
    }
    (std::type_identity<decltype(tie_aggregate(std::declval<T&>()))>());
  } else {
    return false;
  }
}

template <class T>
constexpr bool is_plain() {
  if constexpr (Scalar<T>) {
    return true;
  } else if constexpr (Optional<T> || List<T>) {
    return is_element<typename T::value_type>();
  } else if constexpr (Map<T>) {
    return is_element<typename T::mapped_type>();
  } else if constexpr (HasOwnCodec<T>) {
    return false;
  } else {
    return NamesItsFields<T> || is_plain_aggregate<T>();
  }
}

}  // namespace plain

/// Types that are messages as they are, by the codecs msgpack (the usual one) and json: bool, integers, float, double,
/// enumerations (by number), std::string, std::vector<std::byte> and Slice (bytes), Value, std::optional, lists (vector,
/// set, array, ...), maps from std::string; and structures of such: aggregates of 1 to 32 fields (without base classes
/// and built-in arrays) and classes with a line of TRUNKLINE_FIELDS. Their fields go by name. When they are decoded
/// unknown fields are skipped, a std::optional may be missing or null, all others must be there.
template <class T>
concept PlainType = plain::is_plain<T>();

namespace plain {

/// Structures: classes whose fields are known.
template <class T>
concept Structure = PlainType<T> && !Scalar<T> && !Optional<T> && !List<T> && !Map<T>;

/// References to the fields of a structure, in order.
template <class T>
constexpr auto tie_fields(T& value) {
  using Type = std::remove_const_t<T>;
  if constexpr (NamesItsFields<Type>) {
    return std::apply([&](const auto&... field) { return std::tie(value.*field.pointer...); },
                      trunkline_fields(static_cast<const Type*>(nullptr)));
  } else {
    return tie_aggregate(value);
  }
}

/// Their names.
template <Structure T>
inline constexpr auto field_names = [] {
  if constexpr (NamesItsFields<T>) {
    return std::apply(
        [](const auto&... field) { return std::array<std::string_view, sizeof...(field)>{field.name...}; },
        trunkline_fields(static_cast<const T*>(nullptr)));
  } else {
    return aggregate_field_names<T>();
  }
}();

}  // namespace plain

}  // namespace trunkline
