// SPDX-License-Identifier: MIT
// bytes_echo: raw bytes there and back, one call at a time, by the public API alone: an upper limit for Python.
// Usage: bytes_echo serve (until standard input ends) | bytes_echo call ENDPOINT BYTES SECONDS; prints calls per
// second.
#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>

namespace {

using Clock = std::chrono::steady_clock;

int serve() {
  trunkline::Server server;
  server.handle<trunkline::Slice, trunkline::Slice>(
      "bytes", [](const trunkline::Slice& request, trunkline::ServerContext&) { return request; });
  std::printf("%s\n", server.listen("tcp://127.0.0.1:0").to_string().c_str());
  std::fflush(stdout);
  const trunkline::Status started = server.start();
  if (!started) return std::fprintf(stderr, "bytes_echo: %s\n", started.to_string().c_str()), 1;
  while (std::getchar() != EOF) continue;
  return server.shutdown(std::chrono::seconds(5)) ? 0 : 1;
}

int call(const std::string& endpoint, std::size_t bytes, double seconds) {
  trunkline::Channel channel(endpoint);
  const std::string text(bytes, 'x');
  const trunkline::Slice request = trunkline::Slice::copy_of(text);
  const auto checked = channel.call<trunkline::Slice>("bytes", request);
  if (!checked || checked->text() != text) {
    return std::fputs("bytes_echo: a call failed, or its response differs from the request\n", stderr), 1;
  }
  const auto echo_for = [&](double limit) {
    const auto begin = Clock::now();
    const auto end = begin + std::chrono::duration<double>(limit);
    double calls = 0;
    for (; Clock::now() < end; ++calls) {
      const auto response = channel.call<trunkline::Slice>("bytes", request);
      if (!response || response->size() != bytes) return -1.0;
    }
    return calls / std::chrono::duration<double>(Clock::now() - begin).count();
  };
  // The first run warms up.
  const double rate = echo_for(0.3) < 0 ? -1 : echo_for(seconds);
  if (rate <= 0) return std::fputs("bytes_echo: a call failed, or a response has another size\n", stderr), 1;
  std::printf("%.1f\n", rate);
  return 0;
}

/// False unless the whole of `text` is a number.
template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count == 2 && std::string_view(arguments[1]) == "serve") return serve();
    std::size_t bytes = 0;
    double seconds = 0;
    if (count == 5 && std::string_view(arguments[1]) == "call" && parse(arguments[3], bytes) &&
        parse(arguments[4], seconds) && seconds > 0) {
      return call(arguments[2], bytes, seconds);
    }
    std::fputs("usage: bytes_echo serve | bytes_echo call ENDPOINT BYTES SECONDS\n", stderr);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bytes_echo: %s\n", error.what());
    return 1;
  }
}
