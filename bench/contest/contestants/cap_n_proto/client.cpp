// SPDX-License-Identifier: MIT
// contest_cap_n_proto call: a chain of promises for each slot; every answer starts its slot's next call.
#include "contest.capnp.h"
#include "letters.h"
#include "modes.h"
#include "pace.h"

#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>

#include <string>
#include <vector>

namespace trunkline::contest {
namespace {

using Contest = ::contest::cap::Contest;

kj::ArrayPtr<const kj::byte> bytes_of(const std::string& text) {
  return kj::StringPtr(text.data(), text.size()).asBytes();
}

/// One of the calls under way.
struct Slot {
  explicit Slot(Contest::Client client) : contest(kj::mv(client)) {}

  Contest::Client contest;
  Turn turn;
};

class Caller {
 public:
  explicit Caller(const Options& options)
      : options_(options),
        pace_(options),
        small_(letters(options.bytes)),
        large_(letters(options.is("mixed") ? large_bytes : 0)) {}

  void run(std::vector<Slot>& slots, kj::WaitScope& scope) {
    pace_.begin();
    auto calls = kj::heapArrayBuilder<kj::Promise<void>>(slots.size());
    for (auto& slot : slots) calls.add(keep_calling(slot));
    kj::joinPromises(calls.finish()).wait(scope);
    pace_.print();
  }

 private:
  kj::Promise<void> keep_calling(Slot& slot) {
    pace_.start(slot.turn);
    return ask(slot).then([this, &slot]() -> kj::Promise<void> {
      if (!pace_.finish(slot.turn)) return kj::READY_NOW;
      return keep_calling(slot);
    });
  }

  kj::Promise<void> ask(Slot& slot) {
    if (options_.is("text")) return say(slot);
    if (options_.is("multiply")) return multiply(slot);
    if (options_.is("object")) return find_one(slot);
    return options_.is("fan_out") ? fan_out(slot) : echo(slot);
  }

  kj::Promise<void> echo(Slot& slot) {
    const std::string& payload = slot.turn.is_large ? large_ : small_;
    auto request = slot.contest.echoRequest(size_for(payload.size()));
    request.setPayload(bytes_of(payload));
    if (slot.turn.is_delayed) request.setDelayUs(tail_delay_us);
    return request.send().then([this, &slot, &payload](const capnp::Response<Contest::EchoResults>& response) {
      compare(slot.turn, response.getPayload(), payload);
    });
  }

  kj::Promise<void> fan_out(Slot& slot) {
    auto request = slot.contest.fanOutRequest(size_for(small_.size()));
    request.setPayload(bytes_of(small_));
    return request.send().then([this, &slot](const capnp::Response<Contest::FanOutResults>& response) {
      compare(slot.turn, response.getPayload(), small_);
    });
  }

  kj::Promise<void> say(Slot& slot) {
    auto request = slot.contest.sayRequest(size_for(small_.size()));
    request.setMsg(kj::StringPtr(small_.data(), small_.size()));
    return request.send().then([this, &slot](const capnp::Response<Contest::SayResults>& response) {
      compare(slot.turn, response.getMsg().asBytes(), small_);
    });
  }

  kj::Promise<void> multiply(Slot& slot) {
    const auto index = static_cast<std::int32_t>(slot.turn.number % 64);
    const std::int32_t a = 1000 + index;
    const std::int32_t b = 2000 - 7 * index;
    auto request = slot.contest.multiplyRequest(size_for(0));
    request.setA(a);
    request.setB(b);
    return request.send().then([a, b](const capnp::Response<Contest::MultiplyResults>& response) {
      KJ_REQUIRE(response.getPro() == a * b, "an answer is wrong");
    });
  }

  kj::Promise<void> find_one(Slot& slot) {
    auto request = slot.contest.findOneRequest(size_for(64));
    request.setName(person::name);
    return request.send().then([](const capnp::Response<Contest::FindOneResults>& response) {
      const auto found = response.getPerson();
      KJ_REQUIRE(found.getName() == person::name && found.getId() == person::id && found.getAge() == person::age,
                 "an answer is wrong");
    });
  }

  static void compare(const Turn& turn, capnp::Data::Reader answer, const std::string& payload) {
    KJ_REQUIRE(answer.size() == payload.size() && (!turn.is_sampled || answer == bytes_of(payload)),
               "an answer is wrong");
  }

  const Options& options_;
  Pace pace_;
  const std::string small_;
  const std::string large_;
};

}  // namespace

int call(const Options& options) {
  auto io = kj::setupAsyncIo();
  auto address = io.provider->getNetwork().parseAddress(options.target).wait(io.waitScope);
  kj::Vector<kj::Own<kj::AsyncIoStream>> streams;
  kj::Vector<kj::Own<capnp::TwoPartyClient>> clients;
  std::vector<Slot> slots;
  for (std::size_t index = 0; index < options.connections; ++index) {
    streams.add(address->connect().wait(io.waitScope));
    clients.add(kj::heap<capnp::TwoPartyClient>(*streams.back()));
  }
  for (std::size_t index = 0; index < options.outstanding; ++index) {
    slots.emplace_back(clients[index % clients.size()]->bootstrap().castAs<Contest>());
    slots.back().turn.is_large = options.is("mixed") && index < clients.size();
  }
  Caller(options).run(slots, io.waitScope);
  return 0;
}

}  // namespace trunkline::contest
