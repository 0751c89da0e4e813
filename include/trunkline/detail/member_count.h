// SPDX-License-Identifier: MIT
// member_count: the number of members of a plain struct at compile time, or an error that says why it is unknown.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace trunkline::detail {

/// Stands for a member of any type while members are counted.
struct AnyMember {
  template <class T>
  operator T() const;  // NOLINT: implicit by design; never defined
};

template <class T, std::size_t... indices>
constexpr bool is_made_of(std::index_sequence<indices...>) {
  return requires { T{(static_cast<void>(indices), AnyMember{})...}; };
}

inline constexpr std::size_t max_members = 24;

/// Returns the number of members of an aggregate; max_members + 1 if there are more.
template <class T, std::size_t count = max_members + 1>
constexpr std::size_t count_members() {
  if constexpr (count == 0 || is_made_of<T>(std::make_index_sequence<count>())) {
    return count;
  } else {
    return count_members<T, count - 1>();
  }
}

/// Converts to a base class of T, and to nothing else.
template <class T>
struct AnyBase {
  template <class Base>
  requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>) operator Base() const;  // NOLINT: as above
};
struct NoMember {};

/// A first member that is constructible from anything also accepts AnyBase, which then proves nothing.
template <class T>
inline constexpr bool has_bases = requires {
  T{AnyBase<T>{}};
}
&&!requires { T{NoMember{}}; };

/// Returns true if T can be initialized with two values in braces after `before` members, and `behind` more after them.
template <class T, std::size_t... before, std::size_t... behind>
constexpr bool has_pair(std::index_sequence<before...>, std::index_sequence<behind...>) {
  return requires {
    T{(static_cast<void>(before), AnyMember{})...,
      {AnyMember{}, AnyMember{}},
      (static_cast<void>(behind), AnyMember{})...};
  };
}

/// Returns true if a member is an array. If braces are omitted, an array counts as all of its elements: with braces
/// fewer values remain for the other members.
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

/// Returns true if members_of() can decompose T. Otherwise a static_assert says why not.
template <class T>
constexpr bool has_members() {
  constexpr bool is_derived = has_bases<T>;
  static_assert(!is_derived, "a struct with base classes needs TRUNKLINE_FIELDS");
  constexpr std::size_t count = is_derived ? 0 : count_members<T>();
  static_assert(count <= max_members, "a struct of more than 24 members needs TRUNKLINE_FIELDS");
  constexpr bool holds_array = count <= max_members && has_array<T, count>();
  static_assert(!holds_array, "a struct with a C array needs std::array in its place, or TRUNKLINE_FIELDS without it");
  return !is_derived && count <= max_members && !holds_array;
}

/// The number of members of an aggregate; 0 if they cannot be found.
template <class T>
inline constexpr std::size_t member_count = has_members<T>() ? count_members<T>() : 0;

}  // namespace trunkline::detail
