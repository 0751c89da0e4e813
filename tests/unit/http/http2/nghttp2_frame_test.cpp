// SPDX-License-Identifier: MIT
// Frames in both directions against nghttp2: what one writes the other reads, and what both refuse.
#include "http/hpack/encoder.h"
#include "http/http2/frame_writer.h"
#include "unit/http/hex.h"

#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <functional>
#include <memory>
#include <string>

namespace trunkline::http::http2 {
namespace {

/// A connection of nghttp2 without a socket.
class Nghttp2Session {
 public:
  explicit Nghttp2Session(Sender role) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks,
                                                         [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
                                                           static_cast<Nghttp2Session*>(self)->on_frame(*frame);
                                                           return 0;
                                                         });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks,
        [](nghttp2_session*, std::uint8_t, std::int32_t, const std::uint8_t* bytes, std::size_t size, void* self) {
          static_cast<Nghttp2Session*>(self)->data.append(reinterpret_cast<const char*>(bytes), size);
          return 0;
        });
    if (role == Sender::server) {
      nghttp2_session_server_new(&session_, callbacks, this);
    } else {
      nghttp2_session_client_new(&session_, callbacks, this);
    }
    nghttp2_session_callbacks_del(callbacks);
  }
  ~Nghttp2Session() { nghttp2_session_del(session_); }
  Nghttp2Session(const Nghttp2Session&) = delete;
  Nghttp2Session& operator=(const Nghttp2Session&) = delete;

  nghttp2_session* get() noexcept { return session_; }
  void receive(ByteSpan bytes) {
    EXPECT_GE(nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
  }
  std::vector<std::byte> send() {
    std::vector<std::byte> sent;
    const std::uint8_t* bytes = nullptr;
    for (ssize_t size = 0; (size = nghttp2_session_mem_send(session_, &bytes)) > 0;) {
      const auto* first = reinterpret_cast<const std::byte*>(bytes);
      sent.insert(sent.end(), first, first + size);
    }
    return sent;
  }

  std::function<void(const nghttp2_frame&)> on_frame = [](const nghttp2_frame&) {};
  std::string data;

 private:
  nghttp2_session* session_ = nullptr;
};

struct Frame {
  FrameHeader header;
  ByteSpan payload;
};

std::vector<Frame> frames_of(ByteSpan bytes) {
  std::vector<Frame> frames;
  while (bytes.size() >= frame_header_bytes) {
    const FrameHeader header = read_frame_header(bytes.data());
    EXPECT_FALSE(check_frame_header(header, max_frame_bytes_limit));
    EXPECT_LE(header.length, bytes.size() - frame_header_bytes);
    frames.push_back({header, bytes.subspan(frame_header_bytes, header.length)});
    bytes = bytes.subspan(frame_header_bytes + header.length);
  }
  EXPECT_TRUE(bytes.empty());
  return frames;
}

std::vector<std::byte> request_block() {
  hpack::Encoder encoder;
  BufferWriter out;
  encoder.field(":method", "POST", hpack::Indexing::without, out);
  encoder.field(":scheme", "http", hpack::Indexing::without, out);
  encoder.field(":path", "/", hpack::Indexing::without, out);
  encoder.field(":authority", "host", hpack::Indexing::without, out);
  return {out.bytes().begin(), out.bytes().end()};
}

/// What a client sends before the frames of a test.
void append_start(BufferWriter& out) {
  out.append(client_preface);
  append_settings({}, out);
}

TEST(Http2FrameBesideNghttp2, WritesWhatNghttp2Reads) {
  Nghttp2Session server(Sender::server);
  nghttp2_submit_settings(server.get(), NGHTTP2_FLAG_NONE, nullptr, 0);
  server.send();
  std::vector<FrameHeader> headers;
  server.on_frame = [&headers](const nghttp2_frame& frame) {
    headers.push_back({.length = static_cast<std::uint32_t>(frame.hd.length),
                       .type = static_cast<FrameType>(frame.hd.type),
                       .flags = frame.hd.flags,
                       .stream = static_cast<std::uint32_t>(frame.hd.stream_id)});
    switch (frame.hd.type) {
      case NGHTTP2_SETTINGS:
        for (std::size_t i = 0; i < frame.settings.niv; ++i) {
          EXPECT_EQ(frame.settings.iv[i].settings_id, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE);
          EXPECT_EQ(frame.settings.iv[i].value, 77U);
        }
        break;
      case NGHTTP2_PRIORITY:
        EXPECT_EQ(frame.priority.pri_spec.stream_id, 7);
        EXPECT_EQ(frame.priority.pri_spec.weight, 256);
        EXPECT_EQ(frame.priority.pri_spec.exclusive, 1);
        break;
      case NGHTTP2_RST_STREAM:
        EXPECT_EQ(frame.rst_stream.error_code, static_cast<std::uint32_t>(NGHTTP2_CANCEL));
        break;
      case NGHTTP2_PING:
        EXPECT_EQ(frame.ping.opaque_data[2], 3);
        break;
      case NGHTTP2_WINDOW_UPDATE:
        EXPECT_EQ(frame.window_update.window_size_increment, 1234);
        break;
      case NGHTTP2_GOAWAY:
        EXPECT_EQ(frame.goaway.last_stream_id, 0);
        EXPECT_EQ(frame.goaway.error_code, static_cast<std::uint32_t>(NGHTTP2_ENHANCE_YOUR_CALM));
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(frame.goaway.opaque_data), frame.goaway.opaque_data_len),
                  "why");
        break;
      default:
        break;
    }
  };
  BufferWriter out;
  append_start(out);
  const Setting setting{SettingId::initial_window_size, 77};
  append_settings({&setting, 1}, out);
  append_settings_ack(out);
  append_priority(3, {.dependency = 7, .weight = 256, .is_exclusive = true}, out);
  append_headers(5, request_block(), false, 10, out);
  append_data(5, as_bytes("hello"), false, out);
  append_window_update(5, 1234, out);
  append_window_update(0, 1234, out);
  append_rst_stream(5, ErrorCode::cancel, out);
  append_ping({std::byte{1}, std::byte{2}, std::byte{3}}, false, out);
  append_goaway(0, ErrorCode::enhance_your_calm, as_bytes("why"), out);

  server.receive(out.bytes());

  std::vector<FrameType> types;
  for (const FrameHeader& header : headers) types.push_back(header.type);
  EXPECT_EQ(types, (std::vector<FrameType>{FrameType::settings, FrameType::settings, FrameType::settings,
                                           FrameType::priority, FrameType::headers, FrameType::data,
                                           FrameType::window_update, FrameType::window_update, FrameType::rst_stream,
                                           FrameType::ping, FrameType::goaway}));
  EXPECT_EQ(server.data, "hello");
}

TEST(Http2FrameBesideNghttp2, ReadsWhatNghttp2Writes) {
  Nghttp2Session client(Sender::client);
  const std::vector<nghttp2_settings_entry> entries{{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                                    {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 1000}};
  nghttp2_submit_settings(client.get(), NGHTTP2_FLAG_NONE, entries.data(), entries.size());
  std::string method = ":method";
  std::string post = "POST";
  const auto bytes = [](std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); };
  const nghttp2_nv field{bytes(method), bytes(post), method.size(), post.size(), NGHTTP2_NV_FLAG_NONE};
  nghttp2_priority_spec priority;
  nghttp2_priority_spec_init(&priority, 11, 99, 1);
  nghttp2_submit_request(client.get(), &priority, &field, 1, nullptr, nullptr);
  const std::array<std::uint8_t, 8> ping{1, 2, 3, 4, 5, 6, 7, 8};
  nghttp2_submit_ping(client.get(), NGHTTP2_FLAG_NONE, ping.data());
  nghttp2_submit_window_update(client.get(), NGHTTP2_FLAG_NONE, 0, 1234);
  const std::vector<std::byte> first = client.send();
  nghttp2_submit_rst_stream(client.get(), NGHTTP2_FLAG_NONE, 1, NGHTTP2_CANCEL);
  nghttp2_submit_goaway(client.get(), NGHTTP2_FLAG_NONE, 0, NGHTTP2_INTERNAL_ERROR,
                        reinterpret_cast<const std::uint8_t*>("why"), 3);
  const std::vector<std::byte> second = client.send();

  ASSERT_EQ(as_text(ByteSpan(first).first(client_preface.size())), client_preface);
  std::vector<Frame> frames = frames_of(ByteSpan(first).subspan(client_preface.size()));
  for (const Frame& frame : frames_of(second)) frames.push_back(frame);

  std::size_t seen = 0;
  for (const Frame& frame : frames) {
    ++seen;
    HeadersPayload headers;
    std::uint32_t increment = 0;
    SettingsReader settings(frame.payload);
    Setting setting;
    switch (frame.header.type) {
      case FrameType::settings:
        EXPECT_TRUE(settings.next(setting));
        EXPECT_EQ(setting, (Setting{SettingId::enable_push, 0}));
        EXPECT_TRUE(settings.next(setting));
        EXPECT_EQ(setting, (Setting{SettingId::max_header_list_size, 1000}));
        EXPECT_FALSE(settings.next(setting));
        break;
      case FrameType::headers:
        EXPECT_FALSE(read_headers(frame.header, frame.payload, headers));
        EXPECT_EQ(to_hex(headers.fragment), "83");
        EXPECT_EQ(headers.priority.dependency, 11U);
        EXPECT_EQ(headers.priority.weight, 99U);
        EXPECT_TRUE(headers.priority.is_exclusive);
        break;
      case FrameType::ping:
        EXPECT_EQ(to_hex(read_ping(frame.payload)), "0102030405060708");
        break;
      case FrameType::window_update:
        EXPECT_FALSE(read_window_update(frame.header, frame.payload, increment));
        EXPECT_EQ(increment, 1234U);
        break;
      case FrameType::rst_stream:
        EXPECT_EQ(read_rst_stream(frame.payload), ErrorCode::cancel);
        break;
      case FrameType::goaway:
        EXPECT_EQ(read_goaway(frame.payload).code, ErrorCode::internal_error);
        EXPECT_EQ(as_text(read_goaway(frame.payload).debug_data), "why");
        break;
      default:
        --seen;
        break;
    }
  }
  EXPECT_EQ(seen, 6U);
}

/// What this layer says of a frame that may be the first one on its stream.
FrameError judge(const FrameHeader& header, ByteSpan payload) {
  if (FrameError error = check_frame_header(header, min_max_frame_bytes)) return error;
  ByteSpan data;
  HeadersPayload headers;
  Priority priority;
  std::uint32_t increment = 0;
  switch (header.type) {
    case FrameType::data:
      return read_data(header, payload, data);
    case FrameType::headers:
      return read_headers(header, payload, headers);
    case FrameType::priority:
      return read_priority(header, payload, priority);
    case FrameType::window_update:
      return read_window_update(header, payload, increment);
    case FrameType::settings: {
      SettingsReader reader(payload);
      Settings settings;
      for (Setting setting; reader.next(setting);) {
        if (FrameError error = settings.apply(setting, Sender::client)) return error;
      }
      return {};
    }
    default:
      return {};
  }
}

/// What nghttp2 answers to a frame behind a request on stream 1.
FrameError answer_of_nghttp2(ByteSpan frame) {
  Nghttp2Session server(Sender::server);
  BufferWriter out;
  append_start(out);
  append_headers(1, request_block(), false, min_max_frame_bytes, out);
  nghttp2_submit_settings(server.get(), NGHTTP2_FLAG_NONE, nullptr, 0);
  server.receive(out.bytes());
  server.send();
  server.receive(frame);
  const std::vector<std::byte> answers = server.send();
  for (const Frame& answer : frames_of(answers)) {
    if (answer.header.type == FrameType::goaway) return connection_error(read_goaway(answer.payload).code, "GOAWAY");
    if (answer.header.type == FrameType::rst_stream) return stream_error(read_rst_stream(answer.payload), "RST_STREAM");
  }
  return {};
}

TEST(Http2FrameBesideNghttp2, RefusesWhatNghttp2Refuses) {
  for (const char* hex : {
           "000000 00 00 00000000",                     // DATA on stream 0
           "000004 00 08 00000001 03 61 0000",          // DATA, right padding
           "000004 00 08 00000001 04 61 0000",          // DATA, padding too long
           "000001 01 04 00000000 82",                  // HEADERS on stream 0
           "000003 01 0c 00000003 03 82 00",            // HEADERS, padding too long
           "000005 02 00 00000000 00000003 10",         // PRIORITY on stream 0
           "000005 02 00 00000003 00000001 10",         // PRIORITY
           "000004 03 00 00000000 00000008",            // RST_STREAM on stream 0
           "000003 03 00 00000001 000000",              // RST_STREAM, too short
           "000005 03 00 00000001 0000000000",          // RST_STREAM, too long
           "000000 04 00 00000001",                     // SETTINGS on a stream
           "000005 04 00 00000000 0001000000",          // SETTINGS, a part
           "000006 04 01 00000000 000100000000",        // SETTINGS with ACK and a payload
           "000006 04 00 00000000 000200000002",        // ENABLE_PUSH 2
           "000006 04 00 00000000 000480000000",        // INITIAL_WINDOW_SIZE 2^31
           "000006 04 00 00000000 00047fffffff",        // INITIAL_WINDOW_SIZE 2^31 - 1
           "000006 04 00 00000000 000500003fff",        // MAX_FRAME_SIZE 2^14 - 1
           "000006 04 00 00000000 000501000000",        // MAX_FRAME_SIZE 2^24
           "000006 04 00 00000000 abcd01000000",        // an unknown setting
           "000008 06 00 00000001 0000000000000000",    // PING on a stream
           "000007 06 00 00000000 00000000000000",      // PING, too short
           "000009 06 00 00000000 000000000000000000",  // PING, too long
           "000008 07 00 00000001 0000000000000000",    // GOAWAY on a stream
           "000007 07 00 00000000 00000000000000",      // GOAWAY, too short
           "000003 08 00 00000001 000000",              // WINDOW_UPDATE, too short
           "000005 08 00 00000001 0000000001",          // WINDOW_UPDATE, too long
           "000004 08 00 00000000 00000000",            // WINDOW_UPDATE of 0
           "000004 08 00 00000001 00000001",            // WINDOW_UPDATE
           "004001 00 00 00000001",                     // DATA over the maximum
           "000003 20 ff 00000001 010203",              // an unknown type
       }) {
    const std::vector<std::byte> frame = from_hex(hex);

    const FrameError error = judge(read_frame_header(frame.data()), ByteSpan(frame).subspan(frame_header_bytes));
    const FrameError expected = answer_of_nghttp2(frame);

    EXPECT_EQ(error.scope, expected.scope) << hex;
    EXPECT_EQ(error.code, expected.code) << hex << ": " << to_string(error.code) << ", " << to_string(expected.code);
  }
}

}  // namespace
}  // namespace trunkline::http::http2
