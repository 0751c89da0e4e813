// SPDX-License-Identifier: MIT
// The message types of Empty, Slice and std::string.
#include <trunkline/message.h>
#include <trunkline/value.h>

namespace trunkline {

const MessageType& MessageTraits<Empty>::type() {
  static const MessageType value{.kind = MessageKind::none, .type = &typeid(Empty), .clear = [](void*) {}};
  return value;
}

const MessageType& MessageTraits<Slice>::type() {
  // A slice has no direct form: it shares the block of the payload, to which only the codec has access.
  static const MessageType value{
      .kind = MessageKind::bytes, .type = &typeid(Slice), .default_codec = "bytes", .clear = [](void* object) {
        *static_cast<Slice*>(object) = Slice();
      }};
  return value;
}

const MessageType& MessageTraits<std::string>::type() {
  static const MessageType value{
      .kind = MessageKind::bytes,
      .type = &typeid(std::string),
      .default_codec = "bytes",
      .direct_codec = "bytes",
      .size = [](const void* object) { return static_cast<const std::string*>(object)->size(); },
      .write =
          [](const void* object, std::byte* out) {
            const auto& text = *static_cast<const std::string*>(object);
            if (!text.empty()) std::memcpy(out, text.data(), text.size());
          },
      .parse =
          [](void* object, ByteSpan payload) {
            static_cast<std::string*>(object)->assign(as_text(payload));
            return true;
          },
      .clear = [](void* object) { static_cast<std::string*>(object)->clear(); },
      .to_value = [](const void* object) { return Value(*static_cast<const std::string*>(object)); },
      .from_value =
          [](void* object, const Value& from) {
            const auto* const text = from.get_if<std::string>();
            if (text == nullptr) return "expected a text, not " + std::string(to_string(from.kind()));
            *static_cast<std::string*>(object) = *text;
            return std::string();
          }};
  return value;
}

}  // namespace trunkline
