// SPDX-License-Identifier: MIT
// TextDecoder: the bytes of gRPC-Web's text form (application/grpc-web-text), as they come.
#pragma once

#include <trunkline/slice.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trunkline::session::web {

/// A body is any number of texts of base64, each with its padding, behind each other (gRPC-Web's PROTOCOL-WEB.md). It
/// comes in pieces, which may end amid a group of four letters.
class TextDecoder {
 public:
  /// Appends what all complete groups encode. Returns false if they are not base64; then nothing more can be decoded.
  [[nodiscard]] bool decode(std::string_view piece, BufferWriter& out);
  /// Returns how many letters of an incomplete group have come.
  std::uint32_t held() const noexcept { return held_; }

 private:
  static constexpr std::size_t group_letters = 4;

  std::array<char, group_letters> group_{};
  std::uint8_t held_ = 0;
};

}  // namespace trunkline::session::web
