// SPDX-License-Identifier: MIT
// Defines inbound method ids.
#include "session/native/inbound_method_ids.h"

namespace trunkline::session::native {

Status InboundMethodIds::define(std::uint32_t id, std::string_view name) {
  if (id > names_.size() + 1) {
    return {StatusCode::internal,
            "define method: id " + std::to_string(id) + " is after the next one, " + std::to_string(names_.size() + 1)};
  }
  auto defined = std::make_shared<const std::string>(name);
  if (id > names_.size()) {
    names_.push_back(std::move(defined));
  } else {
    names_[id - 1] = std::move(defined);
    ++epoch_;
  }
  return {};
}

}  // namespace trunkline::session::native
