// SPDX-License-Identifier: MIT
// Names as the compiler spells them: of an aggregate's fields, and of types.
#pragma once

#include <trunkline/aggregate_tie.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace trunkline::plain {

/// Room for a T that is never made: only the addresses of its fields are looked at, by the compiler.
template <class T>
union Unmade {
  constexpr Unmade() : none() {}
  constexpr ~Unmade() {}
  char none;
  T value;
};
#ifdef __clang__
// Not constexpr: clang 14 holds that such a union of some types is no literal type.
template <class T>
inline const Unmade<T> unmade{};
#else
template <class T>
inline constexpr Unmade<T> unmade{};
#endif

template <class Member>
struct FieldAddress {
  const Member* address;
};

/// These have the name of what they are given in their own.
template <auto what>
constexpr std::string_view value_spelling() {
  return __PRETTY_FUNCTION__;
}
template <class T>
constexpr std::string_view type_spelling() {
  return __PRETTY_FUNCTION__;
}

constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

struct Probe {
  int probed_field;
};
/// What stands behind the name in a spelling.
inline constexpr std::size_t field_spelling_rest = [] {
  constexpr std::string_view spelling = value_spelling<FieldAddress<int>{&unmade<Probe>.value.probed_field}>();
  return spelling.size() - spelling.rfind("probed_field") - std::string_view("probed_field").size();
}();
inline constexpr std::size_t type_spelling_begin = type_spelling<double>().rfind("double");
inline constexpr std::size_t type_spelling_rest =
    type_spelling<double>().size() - type_spelling_begin - std::string_view("double").size();

template <class T, std::size_t index>
consteval auto field_address() {
  const auto& field = std::get<index>(tie_aggregate(unmade<T>.value));
  return FieldAddress<std::remove_cvref_t<decltype(field)>>{&field};
}

template <class T, std::size_t index>
constexpr std::string_view find_field_name() {
  std::string_view spelling = value_spelling<field_address<T, index>()>();
  spelling.remove_suffix(field_spelling_rest);
  std::size_t begin = spelling.size();
  while (begin > 0 && is_word(spelling[begin - 1])) --begin;
  return spelling.substr(begin);
}

/// The names of an aggregate's fields, in order.
template <class T>
constexpr auto aggregate_field_names() {
  return []<std::size_t... index>(std::index_sequence<index...>) {
    return std::array<std::string_view, sizeof...(index)>{find_field_name<T, index>()...};
  }
  (std::make_index_sequence<field_count<T>>());
}

/// A type's name without its namespaces.
template <class T>
constexpr std::string_view type_name() {
  std::string_view name = type_spelling<T>();
  name.remove_prefix(type_spelling_begin);
  name.remove_suffix(type_spelling_rest);
  const std::size_t end = name.find('<');
  const std::size_t colon = name.substr(0, end).rfind("::");
  return colon == std::string_view::npos ? name : name.substr(colon + 2);
}

}  // namespace trunkline::plain
