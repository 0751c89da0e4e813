// SPDX-License-Identifier: MIT
// Messages as connectconformance exchanges them with the programs under test: behind their length in four bytes.
#pragma once

#include <google/protobuf/message.h>

#include <cstdint>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <string>

namespace trunkline::conformance {

inline constexpr int length_bytes = 4;

/// False at the end of the input. Throws std::runtime_error if a message is cut off or does not parse.
inline bool read_message(std::istream& in, google::protobuf::Message& message) {
  std::uint32_t length = 0;
  for (int i = 0; i < length_bytes; ++i) {
    const int byte = in.get();
    if (byte == std::istream::traits_type::eof()) return false;
    length = length << 8 | static_cast<std::uint32_t>(byte);
  }
  std::string bytes(length, '\0');
  if (!in.read(bytes.data(), length) || !message.ParseFromString(bytes))
    throw std::runtime_error("a message is cut off");
  return true;
}

inline void write_message(std::ostream& out, const google::protobuf::Message& message) {
  const std::string bytes = message.SerializeAsString();
  for (int i = length_bytes; i-- > 0;) out.put(static_cast<char>(bytes.size() >> 8 * i));
  out << bytes << std::flush;
}

}  // namespace trunkline::conformance
