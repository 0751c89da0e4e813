// SPDX-License-Identifier: MIT
// Settings: the ranges of the values (RFC 9113, section 6.5.2).
#include "http/http2/settings.h"
#include "http/http2/flow_window.h"

namespace trunkline::http::http2 {

FrameError Settings::apply(const Setting& setting, Sender from) noexcept {
  switch (setting.id) {
    case SettingId::header_table_size:
      header_table_size = setting.value;
      return {};
    case SettingId::enable_push:
      if (setting.value > 1) return connection_error(ErrorCode::protocol_error, "SETTINGS_ENABLE_PUSH is not 0 or 1");
      if (from == Sender::server && setting.value == 1) {
        return connection_error(ErrorCode::protocol_error, "SETTINGS_ENABLE_PUSH of a server is not 0");
      }
      enable_push = setting.value == 1;
      return {};
    case SettingId::max_concurrent_streams:
      max_concurrent_streams = setting.value;
      return {};
    case SettingId::initial_window_size:
      if (setting.value > FlowWindow::max_bytes) {
        return connection_error(ErrorCode::flow_control_error, "SETTINGS_INITIAL_WINDOW_SIZE exceeds 2^31 - 1");
      }
      initial_window_size = setting.value;
      return {};
    case SettingId::max_frame_size:
      if (setting.value < min_max_frame_bytes || setting.value > max_frame_bytes_limit) {
        return connection_error(ErrorCode::protocol_error, "SETTINGS_MAX_FRAME_SIZE is not 2^14 to 2^24 - 1");
      }
      max_frame_size = setting.value;
      return {};
    case SettingId::max_header_list_size:
      max_header_list_size = setting.value;
      return {};
  }
  return {};
}

}  // namespace trunkline::http::http2
