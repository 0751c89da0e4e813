// SPDX-License-Identifier: MIT
// has_repeated_name(): searches for repeated names in objects.
#include <codec/value_limits.h>

#include <algorithm>

namespace trunkline::codec {

bool has_repeated_name(const Value::Object& members) {
  constexpr std::size_t few = 12;
  if (members.size() <= few) {
    for (auto a = members.begin(); a != members.end(); ++a) {
      if (std::any_of(members.begin(), a, [&](const auto& b) { return b.first == a->first; })) return true;
    }
    return false;
  }
  std::vector<std::string_view> names;
  names.reserve(members.size());
  for (const auto& member : members) names.push_back(member.first);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) != names.end();
}

}  // namespace trunkline::codec
