// SPDX-License-Identifier: MIT
// TypeDescription: what a message type without a definition is made of.
#pragma once

#include <trunkline/export.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline {

enum class TypeKind : std::uint8_t {
  any,  ///< JSON data of any form
  boolean,
  integer,
  floating,
  text,
  bytes,
  list,
  map,       ///< its keys are texts
  optional,  ///< a value or none
  structure,
};

/// Constant, one for each type, alive until the program ends.
struct TypeDescription {
  /// A function, since a structure may hold lists of itself.
  using Reference = const TypeDescription& (*)();
  struct Field {
    std::string_view name;
    Reference type = nullptr;
  };

  TypeKind kind = TypeKind::any;
  int bits = 0;                 ///< integer, floating: 8 to 64
  bool is_signed = false;       ///< integer
  std::string_view name{};      ///< structure: without its namespace
  Reference element = nullptr;  ///< list, optional; map: of its values
  std::vector<Field> fields{};  ///< structure, in order
};

/// E.g. "Point", "int32", "list of optional Point".
TRUNKLINE_API std::string to_string(const TypeDescription& type);

}  // namespace trunkline
