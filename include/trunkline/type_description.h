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
  /// Any JSON data.
  any,
  boolean,
  integer,
  floating,
  text,
  bytes,
  list,
  /// From texts to values.
  map,
  /// A value that may be absent.
  optional,
  structure,
};

/// Constant; one for each type, alive until the program ends.
struct TypeDescription {
  /// A function, because a structure may contain lists of itself.
  using Reference = const TypeDescription& (*)();
  struct Field {
    std::string_view name;
    Reference type = nullptr;
  };

  TypeKind kind = TypeKind::any;
  /// For integer and floating: 8 to 64.
  int bits = 0;
  /// For integer.
  bool is_signed = false;
  /// For structure: its name without the namespace.
  std::string_view name{};
  /// For list and optional: the type of the elements. For map: the type of the values.
  Reference element = nullptr;
  /// For structure: its fields in order.
  std::vector<Field> fields{};
};

/// E.g. "Point", "int32", "list of optional Point".
TRUNKLINE_API std::string to_string(const TypeDescription& type);

}  // namespace trunkline
