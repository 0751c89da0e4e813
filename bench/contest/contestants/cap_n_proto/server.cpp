// SPDX-License-Identifier: MIT
// contest_cap_n_proto serve: handlers run in place; promises where an answer waits.
#include "contest.capnp.h"
#include "letters.h"
#include "modes.h"

#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>

#include <string>

namespace trunkline::contest {
namespace {

using Contest = ::contest::cap::Contest;

class ContestServer final : public Contest::Server {
 public:
  ContestServer(kj::Timer& timer, kj::Maybe<Contest::Client> backend) : timer_(timer), backend_(kj::mv(backend)) {}

 protected:
  kj::Promise<void> echo(EchoContext context) override {
    const auto delay = context.getParams().getDelayUs();
    if (delay == 0) return answer(context);
    return timer_.afterDelay(delay * kj::MICROSECONDS).then([context]() mutable { return answer(context); });
  }

  kj::Promise<void> say(SayContext context) override {
    const auto msg = context.getParams().getMsg();
    context.getResults(size_for(msg.size())).setMsg(msg);
    return kj::READY_NOW;
  }

  kj::Promise<void> multiply(MultiplyContext context) override {
    const auto factors = context.getParams();
    context.getResults(size_for(0)).setPro(factors.getA() * factors.getB());
    return kj::READY_NOW;
  }

  kj::Promise<void> findOne(FindOneContext context) override {
    auto found = context.getResults(size_for(400)).initPerson();
    found.setId(person::id);
    found.setName(context.getParams().getName());
    found.setEmail(person::email);
    found.setPhone(person::phone);
    found.setCity(person::city);
    found.setCompany(person::company);
    found.setAge(person::age);
    return kj::READY_NOW;
  }

  kj::Promise<void> fanOut(FanOutContext context) override {
    auto& backend = KJ_REQUIRE_NONNULL(backend_, "this server has no backend");
    auto asks = kj::heapArrayBuilder<kj::Promise<void>>(3);
    for (int number = 0; number < 3; ++number) {
      const auto payload = context.getParams().getPayload();
      auto request = backend.echoRequest(size_for(payload.size()));
      request.setPayload(payload);
      asks.add(request.send().then([context](const capnp::Response<Contest::EchoResults>& response) mutable {
        KJ_REQUIRE(response.getPayload() == context.getParams().getPayload(), "a wrong answer");
      }));
    }
    return kj::joinPromises(asks.finish()).then([context]() mutable { return answer(context); });
  }

 private:
  template <class Context>
  static kj::Promise<void> answer(Context& context) {
    const auto payload = context.getParams().getPayload();
    context.getResults(size_for(payload.size())).setPayload(payload);
    return kj::READY_NOW;
  }

  kj::Timer& timer_;
  kj::Maybe<Contest::Client> backend_;
};

}  // namespace

int serve(const Options& options) {
  auto io = kj::setupAsyncIo();
  auto& network = io.provider->getNetwork();
  kj::Maybe<Contest::Client> backend;
  kj::Own<kj::AsyncIoStream> stream;
  kj::Own<capnp::TwoPartyClient> behind;
  if (!options.backend.empty()) {
    stream = network.parseAddress(options.backend).wait(io.waitScope)->connect().wait(io.waitScope);
    behind = kj::heap<capnp::TwoPartyClient>(*stream);
    backend = behind->bootstrap().castAs<Contest>();
  }
  capnp::TwoPartyServer server(kj::heap<ContestServer>(io.provider->getTimer(), kj::mv(backend)));
  auto listener = network.parseAddress("127.0.0.1:0").wait(io.waitScope)->listen();
  say_listening("127.0.0.1:" + std::to_string(listener->getPort()));
  server.listen(*listener).wait(io.waitScope);
  return 0;
}

}  // namespace trunkline::contest
