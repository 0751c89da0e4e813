// SPDX-License-Identifier: MIT
// Settings: the values that an endpoint has announced, and the payload of SETTINGS (RFC 9113, section 6.5).
#pragma once

#include "http/http2/frame.h"

#include <trunkline/slice.h>

#include <cstdint>

namespace trunkline::http::http2 {

/// The id of a setting. A peer may send values outside the enumeration; they are ignored.
enum class SettingId : std::uint16_t {
  header_table_size = 1,
  enable_push = 2,
  max_concurrent_streams = 3,
  initial_window_size = 4,
  max_frame_size = 5,
  max_header_list_size = 6,
};

inline constexpr std::size_t setting_bytes = 6;

struct Setting {
  SettingId id{};
  std::uint32_t value = 0;
  bool operator==(const Setting&) const = default;
};

enum class Sender : std::uint8_t { client, server };

/// The settings of an endpoint, at first those that hold before any SETTINGS. 2^32 - 1 means that there is no limit.
struct Settings {
  std::uint32_t header_table_size = 4096;
  bool enable_push = true;
  std::uint32_t max_concurrent_streams = 0xFFFFFFFF;
  std::uint32_t initial_window_size = 65535;
  std::uint32_t max_frame_size = min_max_frame_bytes;
  std::uint32_t max_header_list_size = 0xFFFFFFFF;

  /// Takes over a setting of `from`, unless it is unknown. A wrong value is a connection error.
  FrameError apply(const Setting& setting, Sender from) noexcept;
};

/// Reads the settings one by one: they take effect in their order, and one may occur twice. `payload` is that of a
/// frame that check_frame_header() has accepted, and must outlive the reader.
class SettingsReader {
 public:
  explicit SettingsReader(ByteSpan payload) noexcept : rest_(payload) {}

  /// Reads the next setting. Returns false at the end.
  bool next(Setting& setting) noexcept {
    if (rest_.size() < setting_bytes) return false;
    const unsigned id = std::to_integer<unsigned>(rest_[0]) << 8 | std::to_integer<unsigned>(rest_[1]);
    setting.id = static_cast<SettingId>(id);
    setting.value = load_uint32(rest_.data() + 2);
    rest_ = rest_.subspan(setting_bytes);
    return true;
  }

 private:
  ByteSpan rest_;
};

}  // namespace trunkline::http::http2
