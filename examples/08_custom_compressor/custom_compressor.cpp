// SPDX-License-Identifier: MIT
// A compressor of one's own: run lengths, negotiated by name, used only where it makes the message smaller.
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

  mutable std::atomic<int> compressed{0};
  mutable std::atomic<int> decompressed{0};

 private:
  static trunkline::Status corrupt() {
    return {trunkline::StatusCode::invalid_argument, "run lengths do not make up the message"};
  }
};

}  // namespace

int main() {
  using namespace std::chrono_literals;
  const auto compressor = std::make_shared<RunLengthCompressor>();

  trunkline::ServerOptions server_options;
  server_options.compressors.add(compressor);
  trunkline::Server server(server_options);
  server.handle<std::string, std::string>("Echo",
                                          [](const std::string& text, trunkline::ServerContext&) { return text; });
  const trunkline::Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  if (!server.start()) return 1;

  trunkline::ChannelOptions options;
  options.compressors.add(compressor);
  options.compressor = "run-length";
  trunkline::Channel channel(endpoint.to_string(), options);
  if (!channel.wait_for_ready(10s)) return 1;  // what the server knows is known once it has said hello

  const std::string text(100000, 'a');
  auto echoed = channel.call<std::string>("Echo", text, {.timeout = 10s});
  if (!echoed) {
    std::cerr << echoed.status().to_string() << "\n";
    return 1;
  }
  std::cout << "echoed " << echoed->size() << " bytes, compressed " << compressor->compressed << " times, decompressed "
            << compressor->decompressed << " times\n";
  return *echoed == text && compressor->decompressed == 2 ? 0 : 1;
}
