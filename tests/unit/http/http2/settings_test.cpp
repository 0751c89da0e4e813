// SPDX-License-Identifier: MIT
// SETTINGS: what is written is read back, and the ranges of the values.
#include "http/http2/settings.h"
#include "http/http2/frame_writer.h"

#include <gtest/gtest.h>

#include <vector>

namespace trunkline::http::http2 {
namespace {

TEST(Http2Settings, ReadsWhatWasWrittenInOrder) {
  const std::vector<Setting> written{{SettingId::header_table_size, 0},
                                     {SettingId::header_table_size, 4096},
                                     {static_cast<SettingId>(0xABCD), 0x12345678}};
  BufferWriter out;
  append_settings(written, out);

  const FrameHeader header = read_frame_header(out.bytes().data());
  SettingsReader reader(out.bytes().subspan(frame_header_bytes));
  std::vector<Setting> read;
  for (Setting setting; reader.next(setting);) read.push_back(setting);

  EXPECT_EQ(header, (FrameHeader{.length = 18, .type = FrameType::settings}));
  EXPECT_EQ(read, written);
}

TEST(Http2Settings, WritesTheAcknowledgement) {
  BufferWriter out;
  append_settings_ack(out);

  EXPECT_EQ(read_frame_header(out.bytes().data()), (FrameHeader{.type = FrameType::settings, .flags = flag::ack}));
  EXPECT_FALSE(check_frame_header(read_frame_header(out.bytes().data()), min_max_frame_bytes));
}

TEST(Http2Settings, TakesOverEachValue) {
  Settings settings;
  for (const Setting& setting :
       {Setting{SettingId::header_table_size, 1}, Setting{SettingId::enable_push, 0},
        Setting{SettingId::max_concurrent_streams, 3}, Setting{SettingId::initial_window_size, 0x7FFFFFFF},
        Setting{SettingId::max_frame_size, 0xFFFFFF}, Setting{SettingId::max_header_list_size, 6},
        Setting{static_cast<SettingId>(7), 0xFFFFFFFF}, Setting{static_cast<SettingId>(0), 0xFFFFFFFF}}) {
    EXPECT_FALSE(settings.apply(setting, Sender::client));
  }

  EXPECT_EQ(settings.header_table_size, 1U);
  EXPECT_FALSE(settings.enable_push);
  EXPECT_EQ(settings.max_concurrent_streams, 3U);
  EXPECT_EQ(settings.initial_window_size, 0x7FFFFFFFU);
  EXPECT_EQ(settings.max_frame_size, 0xFFFFFFU);
  EXPECT_EQ(settings.max_header_list_size, 6U);
}

TEST(Http2Settings, RefusesValuesOutsideTheirRanges) {
  const auto expect_wrong = [](SettingId id, std::uint32_t value, Sender from, ErrorCode code) {
    Settings settings;
    const FrameError error = settings.apply({id, value}, from);
    EXPECT_EQ(error.scope, ErrorScope::connection);
    EXPECT_EQ(error.code, code);
  };
  expect_wrong(SettingId::enable_push, 2, Sender::client, ErrorCode::protocol_error);
  expect_wrong(SettingId::enable_push, 1, Sender::server, ErrorCode::protocol_error);
  expect_wrong(SettingId::initial_window_size, 0x80000000, Sender::client, ErrorCode::flow_control_error);
  expect_wrong(SettingId::max_frame_size, 16383, Sender::client, ErrorCode::protocol_error);
  expect_wrong(SettingId::max_frame_size, 0x1000000, Sender::server, ErrorCode::protocol_error);
}

TEST(Http2Settings, LetsServersSwitchPushOff) {
  Settings settings;

  EXPECT_FALSE(settings.apply({SettingId::enable_push, 0}, Sender::server));
  EXPECT_FALSE(settings.apply({SettingId::enable_push, 1}, Sender::client));
}

}  // namespace
}  // namespace trunkline::http::http2
