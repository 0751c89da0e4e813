// SPDX-License-Identifier: MIT
// field_names() and fields_of(): the members of a plain struct and their names, found at compile time.
#pragma once

#include <trunkline/detail/member_count.h>
#include <trunkline/fields.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace trunkline::detail {

/// Returns a tuple of references to the members of an aggregate, in order.
template <class T>
constexpr auto members_of(T& object) {
  constexpr std::size_t count = member_count<std::remove_const_t<T>>;
#define TRUNKLINE_MEMBERS(number, ...) \
  if constexpr (count == number) {     \
    auto& [__VA_ARGS__] = object;      \
    return std::tie(__VA_ARGS__);      \
  } else
  // clang-format off
  TRUNKLINE_MEMBERS(1, a)
  TRUNKLINE_MEMBERS(2, a, b)
  TRUNKLINE_MEMBERS(3, a, b, c)
  TRUNKLINE_MEMBERS(4, a, b, c, d)
  TRUNKLINE_MEMBERS(5, a, b, c, d, e)
  TRUNKLINE_MEMBERS(6, a, b, c, d, e, f)
  TRUNKLINE_MEMBERS(7, a, b, c, d, e, f, g)
  TRUNKLINE_MEMBERS(8, a, b, c, d, e, f, g, h)
  TRUNKLINE_MEMBERS(9, a, b, c, d, e, f, g, h, i)
  TRUNKLINE_MEMBERS(10, a, b, c, d, e, f, g, h, i, j)
  TRUNKLINE_MEMBERS(11, a, b, c, d, e, f, g, h, i, j, k)
  TRUNKLINE_MEMBERS(12, a, b, c, d, e, f, g, h, i, j, k, l)
  TRUNKLINE_MEMBERS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  TRUNKLINE_MEMBERS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
  TRUNKLINE_MEMBERS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
  TRUNKLINE_MEMBERS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
  TRUNKLINE_MEMBERS(17, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)
  TRUNKLINE_MEMBERS(18, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
  TRUNKLINE_MEMBERS(19, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s)
  TRUNKLINE_MEMBERS(20, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)
  TRUNKLINE_MEMBERS(21, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u)
  TRUNKLINE_MEMBERS(22, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v)
  TRUNKLINE_MEMBERS(23, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w)
  TRUNKLINE_MEMBERS(24, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x)
  return std::tuple<>();
  // clang-format on
#undef TRUNKLINE_MEMBERS
}

/// An object that is never constructed: only the addresses of its members are used.
template <class T>
union Unmade {
  constexpr Unmade() : none() {}
  constexpr ~Unmade() {}
  char none;
  T value;
};
template <class T>
struct Sample {
  static inline Unmade<T> object{};
};

template <class T>
struct MemberAddress {
  T* address;
};
template <class T, std::size_t index>
constexpr auto address_of_member() {
  auto& member = std::get<index>(members_of(Sample<T>::object.value));
  return MemberAddress<std::remove_reference_t<decltype(member)>>{&member};
}

/// Returns the compiler's name of a member: "...::name)}..." with g++, "...value.name}]" with clang.
template <auto address>
constexpr std::string_view name_of_member() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(0, text.rfind('}'));
  if (text.ends_with(')')) text.remove_suffix(1);
  return text.substr(text.find_last_of(".:") + 1);
}

template <class T, std::size_t... indices>
constexpr auto names_of_members(std::index_sequence<indices...>) {
  return std::array<std::string_view, sizeof...(indices)>{name_of_member<address_of_member<T, indices>()>()...};
}

template <class T>
concept HasNamedFields = requires {
  NamedFields<T>::names;
};

/// Returns the name of a type without its namespaces; those of template arguments remain.
template <class T>
constexpr std::string_view name_of_type() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  // If there is no colon, npos + 1 is 0.
  return text.substr(text.substr(0, text.find('<')).rfind(':') + 1);
}

/// A struct whose members and their names can be found: an aggregate of at most 24 members without base classes, C
/// arrays and bit fields; or any class given to TRUNKLINE_FIELDS.
template <class T>
concept Structure = std::is_class_v<T> &&
    (HasNamedFields<T> || (std::is_aggregate_v<T> && !requires { std::tuple_size<T>::value; }));

/// Returns the names of the fields, in order.
template <Structure T>
constexpr auto field_names() {
  if constexpr (HasNamedFields<T>) {
    return NamedFields<T>::names;
  } else {
    return names_of_members<T>(std::make_index_sequence<member_count<T>>());
  }
}

/// Returns a tuple of references to the fields, in order.
template <class T>
requires Structure<std::remove_const_t<T>>
constexpr auto fields_of(T& object) {
  if constexpr (HasNamedFields<std::remove_const_t<T>>) {
    return NamedFields<std::remove_const_t<T>>::tie(object);
  } else {
    return members_of(object);
  }
}

}  // namespace trunkline::detail
