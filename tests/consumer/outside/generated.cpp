// SPDX-License-Identifier: MIT
// A service from a definition: served by a class, called by its typed client.
#include "greeter.trunkline.h"

#include <chrono>
#include <exception>
#include <iostream>
#include <string>

namespace {

using namespace std::chrono_literals;

class Greeter : public consumer::Greeter::Service {
 public:
  trunkline::Status greet(const words::Word& request, words::Word& response, trunkline::ServerContext&) {
    response.set_text("hello, " + request.text());
    return trunkline::Status::ok();
  }
  trunkline::Blocking<trunkline::Status> spell(const words::Word& request, trunkline::ServerWriter<words::Word>& writer,
                                               trunkline::ServerContext&) {
    words::Word response;
    for (const char letter : request.text()) {
      response.set_text(std::string(1, letter));
      if (trunkline::Status written = writer.write(response); !written) return written;
    }
    return trunkline::Status::ok();
  }
};

bool call_over(trunkline::Channel& channel) {
  const consumer::Greeter::Client greeter(channel);
  words::Word word;
  word.set_text("world");
  const auto greeting = greeter.greet(word, {.timeout = 10s});
  std::string spelt;
  trunkline::Status status;
  auto letters = greeter.spell(word, {.timeout = 10s});
  for (const words::Word& letter : letters.messages(status)) spelt += letter.text() + ".";
  std::cout << "generated: " << (greeting ? greeting->text() : greeting.status().to_string()) << ": " << spelt << "\n";
  return greeting && greeting->text() == "hello, world" && status.is_ok() && spelt == "w.o.r.l.d.";
}

}  // namespace

int main() {
  try {
    Greeter greeter;
    trunkline::Server server;
    server.add_service(greeter);
    const auto endpoint = server.listen("tcp://127.0.0.1:0");
    if (const auto started = server.start(); !started) throw trunkline::StatusError(started);
    trunkline::Channel channel(endpoint.to_string());
    return call_over(channel) && server.shutdown(10s).is_ok() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "generated: " << error.what() << "\n";
    return 1;
  }
}
