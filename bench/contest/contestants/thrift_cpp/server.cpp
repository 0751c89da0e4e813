// SPDX-License-Identifier: MIT
// contest_thrift_cpp serve: TNonblockingServer runs handlers in place, or on workers where answers wait.
#include "Contest.h"
#include "letters.h"
#include "modes.h"

#include <thrift/concurrency/ThreadFactory.h>
#include <thrift/concurrency/ThreadManager.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/server/TNonblockingServer.h>
#include <thrift/transport/TNonblockingServerSocket.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace trunkline::contest {
namespace {

using namespace apache::thrift;
using ::contest::thrift::ContestIf;
using ::contest::thrift::ContestProcessor;
using ::contest::thrift::Person;

class Handler final : public ContestIf {
 public:
  void Echo(std::string& answer, const std::string& payload, std::int32_t delay_us) override {
    if (delay_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
    answer = payload;
  }
  void Say(std::string& answer, const std::string& msg) override { answer = msg; }
  std::int32_t Multiply(std::int32_t a, std::int32_t b) override { return a * b; }
  void FindOne(Person& found, const std::string& name) override {
    found.id = person::id;
    found.name = name;
    found.email = person::email;
    found.phone = person::phone;
    found.city = person::city;
    found.company = person::company;
    found.age = person::age;
  }
};

/// Says where the server listens, once it does.
class Teller final : public server::TServerEventHandler {
 public:
  explicit Teller(transport::TNonblockingServerSocket& socket) : socket_(socket) {}
  void preServe() override { say_listening("127.0.0.1:" + std::to_string(socket_.getListenPort())); }

 private:
  transport::TNonblockingServerSocket& socket_;
};

}  // namespace

int serve(const Options& options) {
  constexpr std::size_t workers = 64;
  const auto socket = std::make_shared<transport::TNonblockingServerSocket>("127.0.0.1", 0);
  const auto processor = std::make_shared<ContestProcessor>(std::make_shared<Handler>());
  const auto protocols = std::make_shared<protocol::TBinaryProtocolFactory>();
  std::shared_ptr<concurrency::ThreadManager> threads;
  if (options.is("long_tail")) {
    threads = concurrency::ThreadManager::newSimpleThreadManager(workers);
    threads->threadFactory(std::make_shared<concurrency::ThreadFactory>());
    threads->start();
  }
  server::TNonblockingServer server(processor, protocols, socket, threads);
  server.setServerEventHandler(std::make_shared<Teller>(*socket));
  server.serve();
  return 0;
}

}  // namespace trunkline::contest
