// SPDX-License-Identifier: MIT
// TypeDescription: descriptions of types as text.
#include <trunkline/type_description.h>

namespace trunkline {

std::string to_string(const TypeDescription& type) {
  switch (type.kind) {
    case TypeKind::any:
      return "any";
    case TypeKind::boolean:
      return "bool";
    case TypeKind::integer:
      return (type.is_signed ? "int" : "uint") + std::to_string(type.bits);
    case TypeKind::floating:
      return "float" + std::to_string(type.bits);
    case TypeKind::text:
      return "string";
    case TypeKind::bytes:
      return "bytes";
    case TypeKind::list:
      return "list of " + to_string(type.element());
    case TypeKind::map:
      return "map to " + to_string(type.element());
    case TypeKind::optional:
      return "optional " + to_string(type.element());
    case TypeKind::structure:
      return std::string(type.name);
  }
  return "unknown";
}

}  // namespace trunkline
