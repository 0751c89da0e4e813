// SPDX-License-Identifier: MIT
// ConnectionMethods: looks up a method that has no number, or whose number is new.
#include "server/connection_methods.h"

namespace trunkline::server {

LoopMethod* ConnectionMethods::look_up(const session::Event& event) {
  LoopMethod* const method = cache_.find(event.method_name);
  const std::size_t number = event.method_number;
  if (number == 0 || method == nullptr) return method;
  if (number >= methods_.size()) methods_.resize(number + 1);
  methods_[number] = method;
  return method;
}

}  // namespace trunkline::server
