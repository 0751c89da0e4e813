// SPDX-License-Identifier: MIT
// TRUNKLINE_FIELDS: names the fields of a class that is sent as a message.
#pragma once

#include <array>
#include <string_view>
#include <tuple>

namespace trunkline {

/// Holds the names of the fields of T. TRUNKLINE_FIELDS specializes it; the primary template is empty.
template <class T>
struct NamedFields {};

}  // namespace trunkline

#define TRUNKLINE_PARENS ()
#define TRUNKLINE_EXPAND(...) TRUNKLINE_EXPAND4(TRUNKLINE_EXPAND4(TRUNKLINE_EXPAND4(__VA_ARGS__)))
#define TRUNKLINE_EXPAND4(...) TRUNKLINE_EXPAND3(TRUNKLINE_EXPAND3(TRUNKLINE_EXPAND3(__VA_ARGS__)))
#define TRUNKLINE_EXPAND3(...) TRUNKLINE_EXPAND2(TRUNKLINE_EXPAND2(TRUNKLINE_EXPAND2(__VA_ARGS__)))
#define TRUNKLINE_EXPAND2(...) __VA_ARGS__
#define TRUNKLINE_FIELD_NAMES(name, ...) #name __VA_OPT__(, TRUNKLINE_FIELD_NAMES_AGAIN TRUNKLINE_PARENS(__VA_ARGS__))
#define TRUNKLINE_FIELD_NAMES_AGAIN() TRUNKLINE_FIELD_NAMES
#define TRUNKLINE_FIELD_REFERENCES(name, ...) \
  object.name __VA_OPT__(, TRUNKLINE_FIELD_REFERENCES_AGAIN TRUNKLINE_PARENS(__VA_ARGS__))
#define TRUNKLINE_FIELD_REFERENCES_AGAIN() TRUNKLINE_FIELD_REFERENCES

/// TRUNKLINE_FIELDS(Type, first, second, ...), in the global namespace, names the fields of Type that are sent: at most
/// 27 public members. It serves classes whose members cannot be found automatically, and classes of which only some
/// members are sent.
#define TRUNKLINE_FIELDS(Type, ...)                                                              \
  template <>                                                                                    \
  struct trunkline::NamedFields<Type> {                                                          \
    static constexpr auto names =                                                                \
        std::to_array<std::string_view>({TRUNKLINE_EXPAND(TRUNKLINE_FIELD_NAMES(__VA_ARGS__))}); \
    template <class Object>                                                                      \
    static constexpr auto tie(Object& object) {                                                  \
      return std::tie(TRUNKLINE_EXPAND(TRUNKLINE_FIELD_REFERENCES(__VA_ARGS__)));                \
    }                                                                                            \
  }
