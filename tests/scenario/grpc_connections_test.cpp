// SPDX-License-Identifier: MIT
// gRPC beside the native protocol on the port of an ordinary server, with a client that writes HTTP/2 by hand.
#include "http/hpack/encoder.h"
#include "http/http2/frame_writer.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace trunkline::scenario {
namespace {

using http::http2::FrameType;
using namespace std::chrono_literals;

class GrpcConnections : public ::testing::Test {
 protected:
  GrpcConnections() {
    server_.handle<std::string, std::string>("test/Echo",
                                             [](const std::string& request, ServerContext&) { return request; });
    endpoint_ = server_.listen("tcp://127.0.0.1:0");
    EXPECT_TRUE(server_.start().is_ok());
    socket_.connect({asio::ip::make_address(endpoint_.host()), endpoint_.port()});
  }

  void write_call(std::uint32_t stream, std::string_view message, BufferWriter& out) {
    BufferWriter block;
    encoder_.begin(block);
    for (const auto& [name, value] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
             {":method", "POST"},
             {":scheme", "http"},
             {":path", "/test/Echo"},
             {"te", "trailers"},
             {"content-type", "application/grpc+bytes"}}) {
      encoder_.field(name, value, http::hpack::Indexing::index, block);
    }
    http::http2::append_headers(stream, block.bytes(), false, http::http2::min_max_frame_bytes, out);
    std::string data{'\0', '\0', '\0', '\0', static_cast<char>(message.size())};
    http::http2::append_data(stream, as_bytes(data.append(message)), true, out);
  }
  /// The data of the streams up to the end of `last`.
  std::string read_data(std::uint32_t last) {
    std::string data;
    for (;;) {
      std::array<std::byte, http::http2::frame_header_bytes> head{};
      asio::read(socket_, asio::buffer(head));
      const auto header = http::http2::read_frame_header(head.data());
      std::string payload(header.length, '\0');
      asio::read(socket_, asio::buffer(payload));
      if (header.type == FrameType::data) data += payload.substr(5) + ",";
      const bool ends = header.type == FrameType::headers && header.has(http::http2::flag::end_stream);
      if (ends && header.stream == last) return data;
    }
  }

  Server server_;
  Endpoint endpoint_;
  asio::io_context context_;
  asio::ip::tcp::socket socket_{context_};
  http::hpack::Encoder encoder_;
};

TEST_F(GrpcConnections, AreServedBesideNativeOnes) {
  Channel native(endpoint_.to_string());
  BufferWriter out;
  out.append(http::http2::client_preface);
  http::http2::append_settings({}, out);
  write_call(1, "one", out);
  write_call(3, "two", out);

  asio::write(socket_, asio::buffer(out.bytes().data(), out.size()));
  const std::string data = read_data(3);
  const Result<std::string> response = native.call<std::string>("test/Echo", std::string("native"), {.timeout = 60s});

  EXPECT_EQ(data, "one,two,");
  ASSERT_TRUE(response.is_ok()) << response.status().to_string();
  EXPECT_EQ(*response, "native");
}

}  // namespace
}  // namespace trunkline::scenario
