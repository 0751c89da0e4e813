// SPDX-License-Identifier: MIT
// How many fields an aggregate has, and whether they can be found.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace trunkline::plain {

inline constexpr std::size_t max_aggregate_fields = 32;

/// Stands for a field of any type in braces; never made.
template <class Owner>
struct AnyField {
  template <class T>
  requires(!std::is_same_v<T, Owner>) operator T() const noexcept;  // NOLINT: implicit by design
};
/// The same for base classes alone.
template <class Owner>
struct AnyBase {
  template <class T>
  requires(std::is_base_of_v<T, Owner> && !std::is_same_v<T, Owner>) operator T() const noexcept;  // NOLINT
};

template <class T, std::size_t... before, std::size_t... after>
constexpr bool takes_pair(std::index_sequence<before...>, std::index_sequence<after...>) {
  return requires {
    T{(static_cast<void>(before), AnyField<T>{})..., {AnyField<T>{}, AnyField<T>{}},
      (static_cast<void>(after), AnyField<T>{})...};
  };
}
template <class T, std::size_t... fields>
constexpr bool takes_fields(std::index_sequence<fields...>) {
  return requires {
    T{(static_cast<void>(fields), AnyField<T>{})...};
  };
}

template <class T, std::size_t most>
constexpr std::size_t count_fields() {
  if constexpr (most == 0 || takes_fields<T>(std::make_index_sequence<most>())) {
    return most;
  } else {
    return count_fields<T, most - 1>();
  }
}
/// As many initializers as the aggregate takes; max_aggregate_fields + 1 for more than that.
template <class T>
inline constexpr std::size_t field_count =
    count_fields<T, (sizeof(T) <= max_aggregate_fields ? sizeof(T) : max_aggregate_fields + 1)>();

/// An array takes several initializers without braces and a pair of them in braces in place of one.
template <class T, std::size_t index, std::size_t count>
constexpr bool has_array_from() {
  if constexpr (index >= count) {
    return false;
  } else if constexpr (takes_pair<T>(std::make_index_sequence<index>(), std::index_sequence<>()) &&
                       !takes_pair<T>(std::make_index_sequence<index>(),
                                      std::make_index_sequence<count - index - 1>())) {
    return true;
  } else {
    return has_array_from<T, index + 1, count>();
  }
}

template <class T>
constexpr bool has_base() {
  return requires {
    T{AnyBase<T>{}};
  };
}

/// An aggregate whose fields can be found: 1 to 32 of them, no base class, no built-in array of several elements.
template <class T>
constexpr bool has_findable_fields() {
  if constexpr (!std::is_class_v<T> || !std::is_aggregate_v<T>) {
    return false;
  } else if constexpr (field_count<T> == 0 || field_count<T> > max_aggregate_fields || has_base<T>()) {
    return false;
  } else {
    return !has_array_from<T, 0, field_count<T>>();
  }
}

}  // namespace trunkline::plain
