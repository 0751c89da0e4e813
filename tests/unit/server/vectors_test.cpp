// SPDX-License-Identifier: MIT
// What tests/vectors/native_v1.json has for servers with methods: frames of a client, and what a server sends.
#include "kit/frames.h"
#include "unit/server/server_fixture.h"

#include <trunkline/detail/stream_handler.h>

#include <nlohmann/json.hpp>

#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::server {
namespace {

using nlohmann::json;

const json& served_vectors() {
  static const json all = json::parse(std::ifstream(TRUNKLINE_VECTORS));
  return all.at("served");
}

std::string bytes_of(const std::string& hex) {
  std::string out;
  std::string digits;
  for (const char digit : hex) {
    if (digit == ' ') continue;
    digits += digit;
    if (digits.size() < 2) continue;
    out += static_cast<char>(std::stoi(digits, nullptr, 16));
    digits.clear();
  }
  return out;
}

std::string hex_of(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto value = static_cast<unsigned char>(byte);
    out += {digits[value >> 4], digits[value & 15]};
  }
  return out;
}

class ServedVectors : public ServerFixture, public testing::WithParamInterface<std::size_t> {
 protected:
  const json& vector() const { return served_vectors().at(GetParam()); }

  void serve() {
    handle_echo("v/Echo");
    handle<Empty, Slice>("v/Now", [](const Empty&, ServerContext&) { return Slice::copy_of("now"); });
    server().methods().add("v/Count",
                           std::make_unique<detail::ClientStreamHandler<Slice, Slice, decltype(&count)>>(&count), {});
    server().methods().add("v/Split",
                           std::make_unique<detail::ServerStreamHandler<Slice, Slice, decltype(&split)>>(&split), {});
    server().methods().add("v/Chat", std::make_unique<detail::StreamHandler<Slice, Slice, decltype(&chat)>>(&chat), {});
    auto [near, far] = make_link();
    peer_ = std::move(near);
    server().accept_transport(std::move(far));
    wire::Hello hello{.codecs = {"unknown", "bytes"}};
    hello.ordered = vector().value("ordered", false);
    send(kit::preface() + kit::hello(hello));
  }
  void send(const std::string& bytes) {
    const std::array part{ByteSpan(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size())};
    ASSERT_EQ(peer_->write(part).bytes, bytes.size());
    settle();
  }
  std::vector<kit::SeenFrame> sent() {
    std::array<std::byte, 65536> block;
    const std::array into{MutableByteSpan(block.data(), block.size())};
    std::string bytes;
    while (true) {
      const net::IoResult read = peer_->read(into);
      if (read.state != net::IoState::ok) break;
      bytes.append(reinterpret_cast<const char*>(block.data()), read.bytes);
      settle();
    }
    return reader_.read(bytes);
  }

 private:
  static asio::awaitable<Status> count(ServerReader<Slice>& reader, Slice& response, ServerContext&) {
    for (int messages = 0;; ++messages) {
      auto next = co_await reader.async_read(asio::use_awaitable);
      if (!next.is_ok()) co_return next.status();
      if (next->has_value()) continue;
      response = Slice::copy_of(std::to_string(messages));
      co_return Status::ok();
    }
  }

  static asio::awaitable<Status> split(const Slice& request, ServerWriter<Slice>& writer, ServerContext&) {
    for (const std::byte& byte : request.bytes()) {
      Status sent = co_await writer.async_write(Slice::copy_of(ByteSpan(&byte, 1)), asio::use_awaitable);
      if (!sent.is_ok()) co_return sent;
    }
    co_return Status::ok();
  }
  static asio::awaitable<Status> chat(ServerStream<Slice, Slice>& stream, ServerContext&) {
    while (true) {
      auto next = co_await stream.async_read(asio::use_awaitable);
      if (!next.is_ok()) co_return next.status();
      if (next->has_value() && as_text((*next)->bytes()) == "!") co_return Status::ok();
      const Slice response = next->has_value() ? **next : Slice::copy_of("end");
      Status sent = co_await stream.async_write(response, asio::use_awaitable);
      if (!sent.is_ok() || !next->has_value()) co_return sent;
    }
  }

  std::unique_ptr<net::Transport> peer_;
  kit::FrameReader reader_{true};
};

TEST_P(ServedVectors, AreAnsweredAsTheVectorSays) {
  serve();
  const std::vector<kit::SeenFrame> hello = sent();
  ASSERT_EQ(hello.size(), 1u);
  const std::vector<std::string> codecs = wire::read_hello(as_bytes(hello[0].body)).value().codecs;

  for (const json& frame : vector().at("frames")) send(bytes_of(frame.at("bytes")));

  json all = json::array();
  std::map<std::uint32_t, kit::SeenFrame> last;
  std::map<std::uint32_t, json> messages;
  for (kit::SeenFrame& frame : sent()) {
    if (frame.is(wire::FrameType::credit)) continue;
    if (frame.header.has(wire::flag::message)) {
      last[frame.header.call] = frame;
      messages[frame.header.call].push_back(hex_of(frame.message));
    }
    if (frame.is(wire::FrameType::message)) continue;
    json response{{"type", to_string(frame.header.type)}, {"call", frame.header.call}, {"number", frame.header.number}};
    if (frame.is(wire::FrameType::finish)) response["unprocessed"] = frame.header.has(wire::flag::unprocessed);
    if (const auto found = last.find(frame.header.call); found != last.end()) {
      response["message"] = hex_of(found->second.message);
      response["messages"] = messages.at(frame.header.call);
      response["codec"] = codecs.at(found->second.header.codec - 1u);
    }
    all.push_back(std::move(response));
  }
  // A vector has either the one response or all messages of a stream. One without a codec leaves it to the server.
  json expected = vector().at("sends");
  for (std::size_t i = 0; i < expected.size() && i < all.size(); ++i) {
    const bool is_stream = expected[i].contains("messages");
    const bool is_single = expected[i].contains("message") && all[i].value("messages", json::array()).size() == 1;
    if (is_stream) all[i].erase("message");
    if (is_single) all[i].erase("messages");
    if ((is_stream || is_single) && !expected[i].contains("codec")) all[i].erase("codec");
  }
  EXPECT_EQ(all, expected) << vector().at("rule");
}

INSTANTIATE_TEST_SUITE_P(All, ServedVectors, testing::Range<std::size_t>(0, served_vectors().size()),
                         [](const auto& of) {
                           return served_vectors().at(of.param).at("name").template get<std::string>();
                         });

}  // namespace
}  // namespace trunkline::server
