// SPDX-License-Identifier: MIT
// Names of types.
#include <trunkline/type_description.h>

#include <array>

namespace trunkline {

std::string_view name_of(const TypeDescription& type) noexcept {
  static constexpr std::array<std::string_view, 10> kinds = {"any",   "boolean", "integer", "floating", "text",
                                                             "bytes", "list",    "map",     "optional", "structure"};
  return type.kind == TypeKind::structure ? type.name : kinds[static_cast<std::size_t>(type.kind)];
}

}  // namespace trunkline
