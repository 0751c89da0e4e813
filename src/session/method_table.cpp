// SPDX-License-Identifier: MIT
// Teaching and learning of method numbers.
#include "session/method_table.h"

namespace trunkline::session {

std::uint32_t TaughtMethods::teach(std::uint32_t key, std::uint32_t max_methods) {
  if (key == 0 || taught_ >= max_methods) return 0;
  if (key >= numbers_.size()) numbers_.resize(key + 1);
  return numbers_[key] = ++taught_;
}

Status LearntMethods::learn(std::uint32_t number, std::string_view name, std::uint32_t max_methods) {
  if (number != names_.size() + 1) {
    return {StatusCode::internal, "learn method: number " + std::to_string(number) + " is not the next one, " +
                                      std::to_string(names_.size() + 1)};
  }
  if (number > max_methods) {
    return {StatusCode::resource_exhausted,
            "learn method: number " + std::to_string(number) + " exceeds max_methods " + std::to_string(max_methods)};
  }
  names_.push_back(std::make_unique<const std::string>(name));
  return {};
}

}  // namespace trunkline::session
