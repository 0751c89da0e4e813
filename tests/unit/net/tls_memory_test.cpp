// SPDX-License-Identifier: MIT
// What OpenSSL takes from the heap: no buffers for traffic that goes on, and none while a connection is idle.
#include "net/socket_watcher.h"
#include "net/tls_context.h"
#include "net/tls_handshake.h"
#include "tls_files.h"

#include <openssl/crypto.h>

#include <gtest/gtest.h>

#include <malloc.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;

std::atomic<long> bytes_taken{0};
std::atomic<long> bytes_held{0};

long usable(void* memory) { return memory == nullptr ? 0 : static_cast<long>(malloc_usable_size(memory)); }

void* taken(void* memory, long before) {
  bytes_taken += usable(memory) - before;
  bytes_held += usable(memory) - before;
  return memory;
}

/// Before anything of OpenSSL's has run, or it refuses.
const bool is_counting =
    CRYPTO_set_mem_functions([](std::size_t size, const char*, int) { return taken(std::malloc(size), 0); },
                             [](void* memory, std::size_t size, const char*, int) {
                               const long before = usable(memory);
                               return taken(std::realloc(memory, size), before);
                             },
                             [](void* memory, const char*, int) {
                               bytes_held -= usable(memory);
                               std::free(memory);
                             }) == 1;

class TlsMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(is_counting);
    ConnectedPair& pair = pair_;
    pair.connect(loop_, endpoint_of("tls://127.0.0.1:0"), {.transport = {}, .tls = files_.server_options()},
                 {.transport = {}, .tls = files_.client_options()});
    ASSERT_NE(pair.client, nullptr) << pair.client_error.to_string();
    ASSERT_NE(pair.server, nullptr) << pair.server_error.to_string();
  }

  /// Sends a message from one side, and reads it on the other.
  void move(Transport& from, Transport& to) {
    const std::string message(1024, 'x');
    const ByteSpan out = as_bytes(message);
    ASSERT_EQ(from.write({&out, 1}).bytes, message.size());
    std::array<std::byte, 4096> room{};
    const MutableByteSpan into(room);
    std::size_t received = 0;
    for (int i = 0; i < 1000 && received < message.size(); ++i) {
      received += to.read({&into, 1}).bytes;
      loop_.poll();
    }
    ASSERT_EQ(received, message.size());
  }
  void move_both_ways(int times) {
    for (int i = 0; i < times; ++i) {
      move(*pair_.client, *pair_.server);
      move(*pair_.server, *pair_.client);
    }
  }

  Loop loop_;
  TemporaryDirectory directory_;
  TlsFiles files_{directory_};
  ConnectedPair pair_;
};

/// Clients that connect and say nothing.
TEST_F(TlsMemoryTest, SilentClientsGetNoSession) {
  constexpr int clients = 20;
  std::vector<std::unique_ptr<TlsHandshake>> handshakes;
  std::vector<UniqueSocket> silent;
  const auto context = TlsContext::load(TlsRole::server, files_.server_options());
  ASSERT_TRUE(context.is_ok()) << context.status().to_string();
  const long before = bytes_held;

  for (int i = 0; i < clients; ++i) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    silent.emplace_back(ends[0]);
    UniqueSocket accepted(ends[1]);
    Result<SocketWatcher::Pointer> watcher = SocketWatcher::make(loop_, accepted);
    ASSERT_TRUE(watcher.is_ok());
    handshakes.push_back(start_handshake(*std::move(watcher), {}, {.context = *context, .server_name = {}, .tried = {}},
                                         [](const Result<std::unique_ptr<Transport>>&) {}));
  }
  while (loop_.poll()) {
  }

  EXPECT_LT(bytes_held - before, clients * 1024);
}

/// A few bytes for each record are OpenSSL's way.
TEST_F(TlsMemoryTest, TrafficAllocatesNoBuffers) {
  move_both_ways(10);
  const long before = bytes_taken;
  move_both_ways(100);
  EXPECT_LT((bytes_taken - before) / 200, 1024);
}

TEST_F(TlsMemoryTest, AnIdleSessionFreesItsBuffers) {
  move_both_ways(10);
  const long busy = bytes_held;
  loop_.run_for(2500ms);
  EXPECT_LT(bytes_held, busy - 40000) << "two sessions";
  move_both_ways(10);
}

/// What is there of a record stays, wherever the pause comes.
TEST_F(TlsMemoryTest, AHalfReadRecordOutlivesThePause) {
  const std::string message(1024, 'x');
  const ByteSpan out = as_bytes(message);
  ASSERT_EQ(pair_.client->write({&out, 1}).bytes, message.size());
  std::array<std::byte, 1024> room{};
  const MutableByteSpan first = MutableByteSpan(room).first(100);
  std::size_t received = 0;
  for (int i = 0; i < 1000 && received == 0; ++i) {
    received = pair_.server->read({&first, 1}).bytes;
    loop_.poll();
  }
  ASSERT_EQ(received, 100u);

  loop_.run_for(2500ms);

  const MutableByteSpan rest = MutableByteSpan(room).subspan(100);
  EXPECT_EQ(pair_.server->read({&rest, 1}).bytes, 924u);
  EXPECT_EQ(as_text(room), message);
}

}  // namespace
}  // namespace trunkline::net
