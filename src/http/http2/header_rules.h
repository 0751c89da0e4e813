// SPDX-License-Identifier: MIT
// HeaderRules: decides which fields a message may have, and in which order (RFC 9113, sections 8.1 to 8.3 and 8.5).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace trunkline::http::http2 {

/// The meaning of a field to HeaderRules. The values fit hpack::Field::kind.
enum class FieldKind : std::uint8_t {
  /// The field is not allowed in any message. The value is 0, so that a field that nobody has classified is refused.
  malformed = 0,
  regular,
  method,
  /// The field is :method with the value CONNECT.
  connect_method,
  scheme,
  authority,
  path,
  status,
};

/// Returns the kind of a field, which depends on name and value alone:
/// - names are tokens without upper-case letters; pseudo-fields are those of section 8.3;
/// - values have no control characters except tabs. RFC 9113 allows no space or tab at either end, but gRPC's
///   implementations send such values, and let their peers strip them: the caller does so before it uses a value;
/// - connection, keep-alive, proxy-connection, transfer-encoding and upgrade are malformed, and so are te with anything
///   but trailers, content-length with anything but digits, and :status 101 (section 8.6);
/// - pseudo-fields have values of their grammar; :authority has no user.
FieldKind classify_field(std::string_view name, std::string_view value) noexcept;

/// Classifies for hpack::NameIds. A table keeps the result, so a field that the peer repeats is validated once.
inline std::uint8_t classify_for_table(std::string_view name, std::string_view value) noexcept {
  return static_cast<std::uint8_t>(classify_field(name, value));
}

constexpr std::uint32_t bit_of(FieldKind kind) noexcept { return 1U << static_cast<unsigned>(kind); }

/// Checks one block of fields as it is decoded. Each accepted field costs two look-ups in small tables. A message that
/// fails is malformed: a stream error of type PROTOCOL_ERROR (section 8.1.1).
class HeaderRules {
 public:
  enum class Section : std::uint8_t { request, response, trailers };

  explicit HeaderRules(Section section) noexcept : allowed_(allowed_at_first(section)), section_(section) {}

  /// Takes the next field. Returns false if the message is malformed.
  bool accept(FieldKind kind) noexcept {
    const std::uint32_t bit = bit_of(kind);
    if ((allowed_ & bit) == 0) return false;
    seen_ |= bit;
    allowed_ &= allowed_after[static_cast<std::size_t>(kind)];
    return true;
  }
  /// Returns false after the last field if a pseudo-field is missing, or one is there that CONNECT must not have.
  bool is_complete() const noexcept;

 private:
  static std::uint32_t allowed_at_first(Section section) noexcept;

  /// The fields that may follow a field: pseudo-fields stand before the others, each once.
  static constexpr std::array<std::uint32_t, 8> allowed_after = [] {
    constexpr std::uint32_t all = 0xFE;
    std::array<std::uint32_t, 8> allowed{};
    for (unsigned kind = 1; kind < allowed.size(); ++kind) allowed[kind] = all & ~(1U << kind);
    allowed[static_cast<std::size_t>(FieldKind::regular)] = bit_of(FieldKind::regular);
    for (const FieldKind method : {FieldKind::method, FieldKind::connect_method}) {
      allowed[static_cast<std::size_t>(method)] =
          all & ~(bit_of(FieldKind::method) | bit_of(FieldKind::connect_method));
    }
    return allowed;
  }();

  std::uint32_t allowed_;
  std::uint32_t seen_ = 0;
  Section section_;
};

}  // namespace trunkline::http::http2
