// SPDX-License-Identifier: MIT
// member_count: how many members a plain struct has, or why that is not known, at compile time.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace trunkline::structure {

/// Stands for a member of any type while members are counted.
struct AnyMember {
  template <class T>
  operator T() const;  // NOLINT: implicit by design; never defined
};

template <class T, std::size_t... indices>
constexpr bool is_made_of(std::index_sequence<indices...>) {
  return requires { T{(static_cast<void>(indices), AnyMember{})...}; };
}

inline constexpr std::size_t most_members = 24;

/// How many members an aggregate has; most_members + 1 if there are more.
template <class T, std::size_t count = most_members + 1>
constexpr std::size_t count_members() {
  if constexpr (count == 0 || is_made_of<T>(std::make_index_sequence<count>())) {
    return count;
  } else {
    return count_members<T, count - 1>();
  }
}

/// Stands for a base class of T, and for nothing else.
template <class T>
struct AnyBase {
  template <class Base>
  requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>) operator Base() const;  // NOLINT: as above
};
struct NoMember {};

/// What a member that takes anything takes, too, says nothing.
template <class T>
inline constexpr bool has_bases = requires {
  T{AnyBase<T>{}};
}
&&!requires { T{NoMember{}}; };

/// Whether it can be made with two values in braces for what stands behind `before` members, and `behind` more.
template <class T, std::size_t... before, std::size_t... behind>
constexpr bool has_pair(std::index_sequence<before...>, std::index_sequence<behind...>) {
  return requires {
    T{(static_cast<void>(before), AnyMember{})...,
      {AnyMember{}, AnyMember{}},
      (static_cast<void>(behind), AnyMember{})...};
  };
}

/// Where braces are left out an array counts as all of its elements: with braces fewer values are left for others.
template <class T, std::size_t count, std::size_t index = 0>
constexpr bool has_array() {
  if constexpr (index + 1 >= count) {
    return false;
  } else {
    using Before = std::make_index_sequence<index>;
    constexpr bool is_array = has_pair<T>(Before(), std::make_index_sequence<0>()) &&
                              !has_pair<T>(Before(), std::make_index_sequence<count - index - 1>());
    return is_array || has_array<T, count, index + 1>();
  }
}

/// Whether members_of is to look at it. A struct whose members are not found says why.
template <class T>
constexpr bool has_members() {
  constexpr bool is_derived = has_bases<T>;
  static_assert(!is_derived, "a struct with base classes needs TRUNKLINE_FIELDS");
  constexpr std::size_t count = is_derived ? 0 : count_members<T>();
  static_assert(count <= most_members, "a struct of more than 24 members needs TRUNKLINE_FIELDS");
  constexpr bool holds_array = count <= most_members && has_array<T, count>();
  static_assert(!holds_array, "a struct with a C array needs std::array in its place, or TRUNKLINE_FIELDS without it");
  return !is_derived && count <= most_members && !holds_array;
}

/// Of an aggregate; none if they are not found.
template <class T>
inline constexpr std::size_t member_count = has_members<T>() ? count_members<T>() : 0;

}  // namespace trunkline::structure
