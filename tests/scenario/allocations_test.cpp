// SPDX-License-Identifier: MIT
// In the steady state a unary call allocates nothing on the heap, on either side.
#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

std::atomic<long> allocations{0};

}  // namespace

// Replaces operator new for the whole test program, so that the allocations of Asio count as well.
void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace trunkline {
namespace {

/// The allocations of a series of batches of calls, made inside the loop. If the system interrupts a turn for long, the
/// turn is divided, and may once need memory that none has needed before. So this is the least of several series: an
/// allocation that belongs to the calls is in all of them. They are short, because the loop arms its timer about once a
/// second, and that takes memory too.
long count_allocations(const std::string& endpoint, std::size_t batch, std::size_t bytes, bool by_grpc = false) {
  constexpr int warm_up = 200;
  const std::size_t rounds = std::max<std::size_t>(4, 1000 / batch);
  constexpr int most_series = 100;
  EventLoop loop;
  Server server(loop);
  server.handle<std::string, std::string>("Echo/Say", [](const std::string& request, std::string& response, auto&) {
    response = request;
    return Status();
  });
  const std::string address = server.listen(endpoint).to_string();
  Channel channel(loop, by_grpc ? "grpc" + address.substr(address.find(':')) : address);
  const Method method = channel.method("Echo/Say");
  const std::string request(bytes, 'x');
  std::vector<std::string> responses(batch);
  const CallOptions options;
  const auto call_all = [&] {
    std::size_t left = batch;
    for (std::string& response : responses) {
      channel.async_call(method, request, response, options, [&](const Status& status) {
        EXPECT_TRUE(status.is_ok()) << status.to_string();
        EXPECT_EQ(response.size(), bytes);
        --left;
      });
    }
    while (left > 0) loop.poll();
  };
  long least = std::numeric_limits<long>::max();
  loop.post([&] {
    for (int round = 0; round < warm_up; ++round) call_all();
    for (int series = 0; series < most_series && least > 0; ++series) {
      const long before = allocations.load();
      for (std::size_t round = 0; round < rounds; ++round) call_all();
      least = std::min(least, allocations.load() - before);
    }
    loop.stop();
  });
  loop.run();
  return least;
}

/// A gRPC client that writes ready-made frames to a socket and counts the responses. It allocates while it is made
/// only.
class FrameClient {
 public:
  /// Each call echoes `bytes`.
  FrameClient(std::uint16_t port, std::size_t bytes) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) std::abort();
    ::fcntl(socket_, F_SETFL, O_NONBLOCK);
    using namespace std::string_literals;
    // The preface, empty SETTINGS, and 1 GiB more for the window of the connection.
    output_ = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0\0\0\4\10\0\0\0\0\0\x40\0\0\0"s;
    // :method POST, :scheme http, and three fields that enter the table of HPACK.
    const std::string first =
        "\x83\x86\x44\x09/Echo/Say\x5f\x16"
        "application/grpc+bytes\x40\x02te\x08trailers";
    const std::string message =
        "\0\0\0"s + static_cast<char>(bytes >> 8) + static_cast<char>(bytes) + std::string(bytes, 'x');
    data_ = frame(0, 1, message);
    output_ += frame(1, 4, first) + data_;
    set_stream(output_.data() + output_.size() - data_.size() - first.size() - header_bytes);
    set_stream(output_.data() + output_.size() - data_.size());
    calls_ = 1;
    // The same fields by their places in the table.
    call_ = frame(1, 4, "\x83\x86\xc0\xbf\xbe") + data_;
    headers_bytes_ = call_.size() - data_.size();
  }
  ~FrameClient() { ::close(socket_); }
  FrameClient(const FrameClient&) = delete;
  FrameClient& operator=(const FrameClient&) = delete;

  void reserve(std::size_t calls) { output_.reserve(output_.size() + calls * call_.size()); }
  void call() {
    next_stream_ += 2;
    set_stream(call_.data());
    set_stream(call_.data() + headers_bytes_);
    output_ += call_;
    ++calls_;
  }
  /// Writes and reads what can be. True: all calls have their responses.
  bool exchange() {
    while (written_ < output_.size()) {
      const ssize_t size = ::send(socket_, output_.data() + written_, output_.size() - written_, MSG_NOSIGNAL);
      if (size <= 0) break;
      written_ += static_cast<std::size_t>(size);
    }
    if (written_ == output_.size()) {
      output_.clear();
      written_ = 0;
    }
    for (ssize_t size; (size = ::recv(socket_, input_.data(), input_.size(), 0)) > 0;) {
      for (ssize_t at = 0; at < size; ++at) take(static_cast<unsigned char>(input_[static_cast<std::size_t>(at)]));
    }
    return responses_ == calls_;
  }

 private:
  static constexpr std::size_t header_bytes = 9;

  static std::string frame(char type, char flags, const std::string& payload) {
    std::string out(header_bytes, '\0');
    out[1] = static_cast<char>(payload.size() >> 8);
    out[2] = static_cast<char>(payload.size());
    out[3] = type;
    out[4] = flags;
    return out + payload;
  }
  void set_stream(char* header) const {
    for (int i = 0; i < 4; ++i) header[5 + i] = static_cast<char>(next_stream_ >> (24 - 8 * i));
  }
  /// One byte of a frame. The second HEADERS of a stream, with END_STREAM, is the end of a response.
  void take(unsigned char byte) {
    if (left_ > 0) {
      --left_;
      return;
    }
    header_[got_++] = byte;
    if (got_ < header_bytes) return;
    got_ = 0;
    left_ = std::size_t{header_[0]} << 16 | std::size_t{header_[1]} << 8 | header_[2];
    if (header_[3] == 1 && (header_[4] & 1) != 0) ++responses_;
    if (header_[3] == 3 || header_[3] == 7) std::abort();
  }

  const int socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  std::string output_;
  std::size_t written_ = 0;
  std::string data_;
  std::string call_;
  std::size_t headers_bytes_ = 0;
  std::uint32_t next_stream_ = 1;
  long calls_ = 0;
  long responses_ = 0;
  std::array<char, 65536> input_;
  std::array<unsigned char, header_bytes> header_{};
  std::size_t got_ = 0;
  std::size_t left_ = 0;
};

/// The same for a server whose client speaks gRPC.
long count_grpc_allocations(std::size_t batch, std::size_t bytes) {
  constexpr int warm_up = 200;
  const std::size_t rounds = std::max<std::size_t>(4, 1000 / batch);
  constexpr int most_series = 100;
  EventLoop loop;
  Server server(loop);
  server.handle<std::string, std::string>("Echo/Say", [](const std::string& request, std::string& response, auto&) {
    response = request;
    return Status();
  });
  const std::string endpoint = server.listen("tcp://127.0.0.1:0").to_string();
  const auto client = std::make_unique<FrameClient>(
      static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))), bytes);
  long least = std::numeric_limits<long>::max();
  const auto call_all = [&] {
    for (std::size_t i = 0; i < batch; ++i) client->call();
    while (!client->exchange()) loop.poll();
  };
  loop.post([&] {
    while (!client->exchange()) loop.poll();
    client->reserve(batch);
    for (int round = 0; round < warm_up; ++round) call_all();
    for (int series = 0; series < most_series && least > 0; ++series) {
      const long before = allocations.load();
      for (std::size_t round = 0; round < rounds; ++round) call_all();
      least = std::min(least, allocations.load() - before);
    }
    loop.stop();
  });
  loop.run();
  return least;
}

TEST(AllocationsTest, ACallOverGrpcAllocatesNothingOnTheServer) {
  for (const std::size_t batch : {1U, 50U, 500U}) {
    EXPECT_EQ(count_grpc_allocations(batch, 8), 0) << batch << " calls in progress";
  }
  EXPECT_EQ(count_grpc_allocations(50, 1024), 0);
}

TEST(AllocationsTest, ACallOverGrpcAllocatesNothingOnEitherSide) {
  for (const std::size_t batch : {1U, 50U, 500U}) {
    EXPECT_EQ(count_allocations("tcp://127.0.0.1:0", batch, 8, true), 0) << batch << " calls in progress";
  }
  EXPECT_EQ(count_allocations("tcp://127.0.0.1:0", 1, 1024, true), 0);
  EXPECT_EQ(count_allocations("tcp://127.0.0.1:0", 50, 1024, true), 0);
}

TEST(AllocationsTest, ASmallCallAllocatesNothing) {
  for (const std::size_t batch : {1U, 50U, 500U}) {
    EXPECT_EQ(count_allocations("inproc://allocations", batch, 8), 0) << batch << " calls in progress";
    EXPECT_EQ(count_allocations("tcp://127.0.0.1:0", batch, 8), 0) << batch << " calls in progress";
  }
}

TEST(AllocationsTest, ACallOfOneKibibyteAllocatesNothing) {
  EXPECT_EQ(count_allocations("tcp://127.0.0.1:0", 1, 1024), 0);
  EXPECT_EQ(count_allocations("tcp://127.0.0.1:0", 50, 1024), 0);
}

}  // namespace
}  // namespace trunkline

#endif
