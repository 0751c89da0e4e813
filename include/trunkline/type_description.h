// SPDX-License-Identifier: MIT
// TypeDescription: the structure of a message type that has no .proto definition.
#pragma once

#include <trunkline/detail/export.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline {

enum class TypeKind : std::uint8_t {
  /// Any JSON data is allowed.
  any,
  boolean,
  integer,
  floating,
  text,
  bytes,
  list,
  /// Texts are mapped to values.
  map,
  /// The value may be absent.
  optional,
  structure,
};

/// The structure of one type. It is constant, and alive until the program ends.
struct TypeDescription {
  /// The reference is a function, because a structure may contain lists of itself.
  using Reference = const TypeDescription& (*)();
  struct Field {
    std::string_view name;
    Reference type = nullptr;
  };

  TypeKind kind = TypeKind::any;
  /// The size of an integer or floating number in bits: 8 to 64.
  int bits = 0;
  /// True if an integer has a sign.
  bool is_signed = false;
  /// The name of a structure without its namespace.
  std::string_view name{};
  /// The type of the elements of a list or optional, or of the values of a map.
  Reference element = nullptr;
  /// The fields of a structure in order.
  std::vector<Field> fields{};
};

/// Returns the name of the type, e.g. "Point", "int32", "list of optional Point".
TRUNKLINE_API std::string to_string(const TypeDescription& type);

}  // namespace trunkline
