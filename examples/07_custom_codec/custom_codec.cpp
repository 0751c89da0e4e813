// SPDX-License-Identifier: MIT
// A codec of one's own: plain structs as "name=value" lines, negotiated by name like the built-in ones.
// Usage: custom_codec [serve ENDPOINT | call ENDPOINT]
#include "server_certificate.h"
#include "two_sides.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <charconv>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>

namespace {

struct Point {
  static constexpr std::string_view trunkline_codec = "lines";
  int x = 0;
  int y = 0;
};

class LinesCodec final : public trunkline::Codec {
 public:
  std::string_view name() const noexcept override { return "lines"; }
  bool supports(const trunkline::MessageType& type) const noexcept override { return *type.type == typeid(Point); }

  trunkline::Status encode(trunkline::MessageView message, trunkline::BufferWriter& out) const override {
    const Point& point = *message.as<Point>();
    out.append("x=" + std::to_string(point.x) + "\ny=" + std::to_string(point.y) + "\n");
    return {};
  }

  trunkline::Status decode(const trunkline::Slice& payload, trunkline::MutableMessageView message) const override {
    Point& point = *message.as<Point>();
    std::string_view rest = payload.text();
    if (!read_line(rest, "x=", point.x) || !read_line(rest, "y=", point.y) || !rest.empty()) {
      return {trunkline::StatusCode::invalid_argument, "decode lines: expected x=NUMBER and y=NUMBER on a line each"};
    }
    return {};
  }

 private:
  static bool read_line(std::string_view& text, std::string_view prefix, int& value) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto used = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || used == text.size() || text[used] != '\n') return false;
    text.remove_prefix(used + 1);
    return true;
  }
};

bool call(const std::string& endpoint) {
  using namespace std::chrono_literals;
  trunkline::ChannelOptions options;
  options.codecs.add(std::make_shared<LinesCodec>());
  trunkline::Channel channel(endpoint, options);
  auto mirrored = channel.call<Point>("Mirror", Point{3, -4}, {.timeout = 10s});
  if (!mirrored) {
    std::cerr << mirrored.status().to_string() << "\n";
    return false;
  }
  std::cout << "mirror of (3, -4): (" << mirrored->x << ", " << mirrored->y << ")\n";
  return mirrored->x == -3 && mirrored->y == 4;
}

}  // namespace

int main(int argc, char** argv) {
  trunkline::ServerOptions options;
  options.tls = example::server_certificate();
  options.codecs.add(std::make_shared<LinesCodec>());
  trunkline::Server server(options);
  server.handle<Point, Point>("Mirror", [](const Point& point, trunkline::ServerContext&) {
    return Point{-point.x, -point.y};
  });
  return example::run_sides({argv + 1, argv + argc}, server, "tcp://127.0.0.1:0", call);
}
