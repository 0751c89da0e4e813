// SPDX-License-Identifier: MIT
// TRUNKLINE_FIELDS: says what the fields of a class are, where they cannot be found out.
#pragma once

#include <string_view>
#include <tuple>

namespace trunkline::plain {

template <class Type, class Member>
struct FieldPointer {
  std::string_view name;
  Member Type::*pointer;
};
template <class Type, class Member>
FieldPointer(const char*, Member Type::*) -> FieldPointer<Type, Member>;

/// A type that has a line of TRUNKLINE_FIELDS.
template <class T>
concept NamesItsFields = requires {
  trunkline_fields(static_cast<const T*>(nullptr));
};

}  // namespace trunkline::plain

/// Inside a class: makes it a message of these fields, in this order; they may be private. `Type` is the class, which
/// needs a default constructor; up to 64 fields. Aggregates of 1 to 32 fields need no such line (see plain_type.h).
///   class Range { ... TRUNKLINE_FIELDS(Range, low_, high_); };
#define TRUNKLINE_FIELDS(Type, ...)                                                               \
  friend constexpr auto trunkline_fields(const Type*) {                                           \
    return std::make_tuple(__VA_OPT__(TRUNKLINE_PASSES_64(TRUNKLINE_FIELD(Type, __VA_ARGS__)))); \
  }                                                                                               \
  static_assert(true)

// One field, and by another pass of the preprocessor those that follow.
#define TRUNKLINE_FIELD(Type, field, ...)                  \
  ::trunkline::plain::FieldPointer{#field, &Type::field}   \
  __VA_OPT__(, TRUNKLINE_NEXT_FIELD TRUNKLINE_FIELDS_NOW(Type, __VA_ARGS__))
#define TRUNKLINE_NEXT_FIELD() TRUNKLINE_FIELD
#define TRUNKLINE_FIELDS_NOW ()
#define TRUNKLINE_PASSES_64(...) \
  TRUNKLINE_PASSES_16(TRUNKLINE_PASSES_16(TRUNKLINE_PASSES_16(TRUNKLINE_PASSES_16(__VA_ARGS__))))
#define TRUNKLINE_PASSES_16(...) \
  TRUNKLINE_PASSES_4(TRUNKLINE_PASSES_4(TRUNKLINE_PASSES_4(TRUNKLINE_PASSES_4(__VA_ARGS__))))
#define TRUNKLINE_PASSES_4(...) \
  TRUNKLINE_PASSES_1(TRUNKLINE_PASSES_1(TRUNKLINE_PASSES_1(TRUNKLINE_PASSES_1(__VA_ARGS__))))
#define TRUNKLINE_PASSES_1(...) __VA_ARGS__
