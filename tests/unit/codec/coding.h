// SPDX-License-Identifier: MIT
// Short ways for tests to encode and decode with one of the default codecs.
#pragma once

#include <trunkline/codec.h>

#include <string>
#include <string_view>

namespace trunkline::test {

inline const Codec& codec(std::string_view name) {
  static const CodecRegistry registry = CodecRegistry::with_defaults();
  return *registry.find(name);
}

/// The encoded message as text, or the status's text after "! ".
template <class T>
std::string encoded(std::string_view name, const T& message) {
  BufferWriter out;
  const Status status = codec(name).encode(MessageView::of(message), out);
  if (!status.is_ok()) return "! " + status.to_string();
  return std::string(as_text(out.bytes()));
}

template <class T>
Status decode(std::string_view name, std::string_view payload, T& message) {
  return codec(name).decode(Slice::copy_of(payload), MutableMessageView::of(message));
}

/// The status's text: "ok" or "invalid_argument: decode ...".
template <class T>
std::string decode_text(std::string_view name, std::string_view payload, T& message) {
  return decode(name, payload, message).to_string();
}

}  // namespace trunkline::test
