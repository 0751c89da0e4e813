// SPDX-License-Identifier: MIT
// Definition of inbound method ids.
#include "session/native/inbound_method_ids.h"

namespace trunkline::session::native {

Status InboundMethodIds::define(std::uint32_t id, std::string_view name, std::uint32_t max_methods) {
  if (id != names_.size() + 1) {
    return {StatusCode::internal,
            "define method: id " + std::to_string(id) + " is not the next one, " + std::to_string(names_.size() + 1)};
  }
  if (id > max_methods) {
    return {StatusCode::resource_exhausted,
            "define method: id " + std::to_string(id) + " exceeds max_methods " + std::to_string(max_methods)};
  }
  names_.push_back(std::make_unique<const std::string>(name));
  return {};
}

}  // namespace trunkline::session::native
