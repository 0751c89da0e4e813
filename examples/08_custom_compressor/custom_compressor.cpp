// SPDX-License-Identifier: MIT
// A compressor of one's own: run lengths, negotiated by name, used only where it makes the message smaller.
// Usage: custom_compressor [serve ENDPOINT | call ENDPOINT]
#include "server_certificate.h"
#include "two_sides.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>

namespace {

/// Pairs of a count (1 to 255) and a byte.
class RunLengthCompressor final : public trunkline::Compressor {
 public:
  std::string_view name() const noexcept override { return "run-length"; }

  trunkline::Status compress(trunkline::ByteSpan input, trunkline::BufferWriter& out) const override {
    for (std::size_t i = 0; i < input.size();) {
      std::size_t run = 1;
      while (i + run < input.size() && run < 255 && input[i + run] == input[i]) ++run;
      out.push_back(static_cast<std::byte>(run));
      out.push_back(input[i]);
      i += run;
    }
    ++compressed;
    return {};
  }

  trunkline::Status decompress(trunkline::ByteSpan input, trunkline::MutableByteSpan out) const override {
    std::size_t filled = 0;
    for (std::size_t i = 0; i + 1 < input.size(); i += 2) {
      const auto run = std::to_integer<std::size_t>(input[i]);
      if (run == 0 || run > out.size() - filled) return corrupt();
      for (std::size_t j = 0; j < run; ++j) out[filled++] = input[i + 1];
    }
    if (input.size() % 2 != 0 || filled != out.size()) return corrupt();
    ++decompressed;
    return {};
  }

  // For gRPC, which does not transmit the size of a message.
  bool has_unsized_form() const noexcept override { return true; }

  trunkline::Status decompress_unsized(trunkline::ByteSpan input, std::size_t limit,
                                       trunkline::BufferWriter& out) const override {
    std::size_t size = 0;
    for (std::size_t i = 0; i < input.size(); i += 2) size += std::to_integer<std::size_t>(input[i]);
    if (size > limit) return {trunkline::StatusCode::resource_exhausted, "run lengths make up more than the limit"};
    if (trunkline::Status status = decompress(input, out.prepare(size).first(size)); !status) return status;
    out.advance(size);
    return {};
  }

  mutable std::atomic<int> compressed{0};
  mutable std::atomic<int> decompressed{0};

 private:
  static trunkline::Status corrupt() {
    return {trunkline::StatusCode::invalid_argument, "run lengths do not make up the message"};
  }
};

bool call(const std::string& endpoint) {
  using namespace std::chrono_literals;
  const auto compressor = std::make_shared<RunLengthCompressor>();
  trunkline::ChannelOptions options;
  options.compressors.add(compressor);
  options.compressor = "run-length";
  trunkline::Channel channel(endpoint, options);
  if (!channel.wait_for_ready(10s)) return false;  // what the server knows is known once it has said hello

  const std::string text(100000, 'a');
  auto echoed = channel.call<std::string>("Echo", text, {.timeout = 10s});
  if (!echoed) {
    std::cerr << echoed.status().to_string() << "\n";
    return false;
  }
  std::cout << "echoed " << echoed->size() << " bytes, compressed " << compressor->compressed << " times, decompressed "
            << compressor->decompressed << " times\n";
  return *echoed == text && compressor->compressed == 1 && compressor->decompressed == 1;
}

}  // namespace

int main(int argc, char** argv) {
  trunkline::ServerOptions options;
  options.tls = example::server_certificate();
  options.compressors.add(std::make_shared<RunLengthCompressor>());
  trunkline::Server server(options);
  server.handle<std::string, std::string>("Echo",
                                          [](const std::string& text, trunkline::ServerContext&) { return text; });
  return example::run_sides({argv + 1, argv + argc}, server, "tcp://127.0.0.1:0", call);
}
