// SPDX-License-Identifier: MIT
// contest_thrift_cpp call: a thread for each connection keeps its window full; answers come in the order of the calls.
#include "Contest.h"
#include "letters.h"
#include "modes.h"
#include "pace.h"

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TSocket.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::contest {
namespace {

using namespace apache::thrift;
using Client = ::contest::thrift::ContestClientT<protocol::TBinaryProtocolT<transport::TFramedTransport>>;

/// Writes block. If more were unanswered than the sockets hold, both sides would wait for the other to read: the calls
/// beyond are under way, but wait here, as those of other clients wait for their sockets to take more.
constexpr std::size_t unanswered_bytes = std::size_t{4} << 20;
/// Of a frame beside the payload, about.
constexpr std::size_t frame_bytes = 64;

/// The frames that are sent between two waits for an answer leave in one write: it is flushed when someone has to wait.
class CoalescingTransport final : public transport::TTransport {
 public:
  explicit CoalescingTransport(std::shared_ptr<transport::TSocket> socket) : socket_(std::move(socket)) {}

  bool isOpen() const override { return socket_->isOpen(); }
  std::uint32_t read_virt(std::uint8_t* to, std::uint32_t length) override {
    write_out();
    return socket_->read(to, length);
  }
  void write_virt(const std::uint8_t* from, std::uint32_t length) override {
    gathered_.insert(gathered_.end(), from, from + length);
    if (gathered_.size() >= 65536) write_out();
  }
  void flush() override {}
  void write_out() {
    if (gathered_.empty()) return;
    socket_->write(gathered_.data(), static_cast<std::uint32_t>(gathered_.size()));
    gathered_.clear();
  }

 private:
  std::shared_ptr<transport::TSocket> socket_;
  std::vector<std::uint8_t> gathered_;
};

/// One connection and its calls under way, oldest first.
class Lane {
 public:
  Lane(const Options& options, std::size_t window)
      : options_(options), pace_(options_), payload_(letters(options.bytes)), turns_(window) {
    const auto colon = options.target.rfind(':');
    auto socket = std::make_shared<transport::TSocket>(options.target.substr(0, colon),
                                                       std::stoi(options.target.substr(colon + 1)));
    socket->open();
    transport_ = std::make_shared<CoalescingTransport>(socket);
    auto buffered = std::make_shared<transport::TBufferedTransport>(transport_, 65536);
    auto framed = std::make_shared<transport::TFramedTransport>(buffered);
    client_ =
        std::make_unique<Client>(std::make_shared<protocol::TBinaryProtocolT<transport::TFramedTransport>>(framed));
  }

  void run() {
    pace_.begin();
    for (auto& turn : turns_) pace_.start(turn);
    const std::uint64_t at_once = std::max<std::size_t>(1, unanswered_bytes / (payload_.size() + frame_bytes));
    std::uint64_t started = turns_.size();
    for (std::uint64_t sent = 0, received = 0; received < started; ++received) {
      while (sent < started && sent - received < at_once) send(turns_[sent++ % turns_.size()]);
      auto& turn = turns_[received % turns_.size()];
      receive(turn);
      if (pace_.finish(turn)) {
        pace_.start(turn);
        ++started;
      } else {
        started = sent;
      }
    }
  }
  const Pace& pace() const { return pace_; }

 private:
  void send(const Turn& turn) {
    if (options_.is("text")) return client_->send_Say(payload_);
    if (options_.is("multiply")) return client_->send_Multiply(a_of(turn), b_of(turn));
    if (options_.is("object")) return client_->send_FindOne(person::name);
    client_->send_Echo(payload_, turn.is_delayed ? static_cast<std::int32_t>(tail_delay_us) : 0);
  }

  void receive(const Turn& turn) {
    bool is_right = false;
    if (options_.is("multiply")) {
      is_right = client_->recv_Multiply() == a_of(turn) * b_of(turn);
    } else if (options_.is("object")) {
      client_->recv_FindOne(person_);
      is_right = person_.name == person::name && person_.id == person::id && person_.age == person::age;
    } else {
      if (options_.is("text")) client_->recv_Say(answer_);
      if (!options_.is("text")) client_->recv_Echo(answer_);
      is_right = answer_.size() == payload_.size() && (!turn.is_sampled || answer_ == payload_);
    }
    if (!is_right) throw std::runtime_error("an answer is wrong");
  }

  static std::int32_t a_of(const Turn& turn) { return 1000 + static_cast<std::int32_t>(turn.number % 64); }
  static std::int32_t b_of(const Turn& turn) { return 2000 - 7 * static_cast<std::int32_t>(turn.number % 64); }

  const Options options_;
  Pace pace_;
  const std::string payload_;
  std::vector<Turn> turns_;
  std::shared_ptr<CoalescingTransport> transport_;
  std::unique_ptr<Client> client_;
  std::string answer_;
  ::contest::thrift::Person person_;
};

}  // namespace

int call(const Options& options) {
  std::vector<std::unique_ptr<Lane>> lanes;
  std::size_t left = options.outstanding;
  for (std::size_t index = 0; index < options.connections; ++index) {
    const std::size_t window = left / (options.connections - index);
    left -= window;
    lanes.push_back(std::make_unique<Lane>(options, window));
  }
  std::vector<std::exception_ptr> errors(lanes.size());
  std::vector<std::thread> threads;
  for (std::size_t index = 1; index < lanes.size(); ++index) {
    threads.emplace_back([&, index] {
      try {
        lanes[index]->run();
      } catch (...) {
        errors[index] = std::current_exception();
      }
    });
  }
  lanes[0]->run();
  for (auto& thread : threads) thread.join();
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  Pace pace = lanes[0]->pace();
  for (std::size_t index = 1; index < lanes.size(); ++index) pace.merge(lanes[index]->pace());
  pace.print();
  return 0;
}

}  // namespace trunkline::contest
