// SPDX-License-Identifier: MIT
// ValueBuilder: builds the Value and checks each element.
#include <codec/value_builder.h>

#include <base/utf8.h>

namespace trunkline::codec {

namespace {
/// Says that the number of elements is unknown: JSON does not announce it.
constexpr auto unknown = static_cast<std::size_t>(-1);
}  // namespace

bool ValueBuilder::scalar(Value value) {
  if (!has_room_for(1)) return false;
  place() = std::move(value);
  return true;
}

bool ValueBuilder::text(std::string content) {
  if (!base::is_utf8(content)) return refuse("string is not utf-8");
  return scalar(std::move(content));
}

bool ValueBuilder::name(std::string content) {
  if (!base::is_utf8(content)) return refuse("name is not utf-8");
  name_ = std::move(content);
  return true;
}

bool ValueBuilder::begin_array(std::size_t announced) { return begin(Value::Array(), announced, 1); }

bool ValueBuilder::begin_object(std::size_t announced) { return begin(Value::Object(), announced, 2); }

/// Checks the limit for announced nodes before memory is allocated for the first of them.
bool ValueBuilder::has_room_for(std::size_t nodes) {
  if (nodes <= limits_.max_value_nodes - nodes_) return true;
  is_over_limit_ = error_.empty();
  return refuse(std::to_string(nodes_ + nodes) + " nodes exceed max_value_nodes " +
                std::to_string(limits_.max_value_nodes));
}

bool ValueBuilder::begin(Value container, std::size_t announced, std::size_t least_bytes) {
  if (depth_ == max_value_depth) return refuse("nesting exceeds 64 levels");
  const auto left = static_cast<std::size_t>(position_.end - position_.at);
  if (announced != unknown && announced > left / least_bytes) {
    return refuse(std::to_string(announced) + " elements announced, " + std::to_string(left) + " bytes left");
  }
  if (!has_room_for(announced == unknown ? 1 : 1 + announced)) return false;
  Value& placed = place();
  placed = std::move(container);
  open_[depth_++] = &placed;
  return true;
}

bool ValueBuilder::end_array() {
  --depth_;
  return true;
}

bool ValueBuilder::end_object() {
  --depth_;
  if (has_repeated_name(*open_[depth_]->get_if<Value::Object>())) return refuse("object has a repeated name");
  return true;
}

/// Places a node. Pointers to open containers stay valid: a container grows only while it is the innermost one.
Value& ValueBuilder::place() {
  ++nodes_;
  if (depth_ == 0) return root_;
  Value& parent = *open_[depth_ - 1];
  if (auto* elements = parent.get_if<Value::Array>()) return elements->emplace_back();
  return parent.get_if<Value::Object>()->emplace_back(std::move(name_), Value()).second;
}

bool ValueBuilder::refuse(std::string reason) {
  if (error_.empty()) {
    error_ = "byte " + std::to_string(position_.at - position_.begin) + " of " +
             std::to_string(position_.end - position_.begin) + ": " + reason;
  }
  return false;
}

}  // namespace trunkline::codec
