// SPDX-License-Identifier: MIT
// Plays gRPC's interoperability test cases with a server of its test service, and prints a line for each.
// Usage: grpc_testing_client ENDPOINT [CERTIFICATE]
#include <grpc_testing/test.trunkline.h>
#include <trunkline/channel.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline::conformance {

namespace {

namespace testing = grpc::testing;
using Request = testing::StreamingOutputCallRequest;
using Response = testing::StreamingOutputCallResponse;
using Duplex = ClientStream<Request, Response>;

struct Exchange {
  std::int32_t response;
  std::size_t request;
};
constexpr Exchange exchanges[] = {{31415, 27182}, {9, 8}, {2653, 1828}, {58979, 45904}};
constexpr std::string_view leading_name = "x-grpc-test-echo-initial";
constexpr std::string_view leading_value = "test_initial_metadata_value";
constexpr std::string_view trailing_name = "x-grpc-test-echo-trailing-bin";
constexpr std::string_view trailing_value = "\xab\xab\xab";

void check(bool is_true, const std::string& what) {
  if (!is_true) throw std::runtime_error(what);
}
void check_ok(const Status& status) { check(status.is_ok(), status.to_string()); }
void check_code(const Status& status, StatusCode code) { check(status.code() == code, status.to_string()); }

/// No case takes nearly as long.
CallOptions options() {
  CallOptions options;
  options.timeout = std::chrono::seconds(20);
  return options;
}

CallOptions options_with_metadata() {
  CallOptions made = options();
  made.metadata.add(leading_name, leading_value);
  made.metadata.add(trailing_name, trailing_value);
  return made;
}

template <class Answer, class Question>
Result<Answer> call(Channel& channel, std::string_view name, const Question& request,
                    const CallOptions& how = options()) {
  return channel.call<Answer>(channel.method(name), request, how);
}

Duplex full_duplex(Channel& channel, const CallOptions& how = options()) {
  return channel.stream<Request, Response>(channel.method("grpc.testing.TestService/FullDuplexCall"), how);
}

testing::SimpleRequest large_request() {
  testing::SimpleRequest request;
  request.set_response_size(314159);
  request.mutable_payload()->set_body(std::string(271828, '\0'));
  return request;
}

Request exchange_request(const Exchange& exchange) {
  Request request;
  request.add_response_parameters()->set_size(exchange.response);
  request.mutable_payload()->set_body(std::string(exchange.request, '\0'));
  return request;
}

/// The sizes of the responses that are left, once the call has ended with ok.
std::vector<std::int32_t> read_all(Duplex& stream) {
  std::vector<std::int32_t> sizes;
  for (;;) {
    auto response = stream.read();
    check_ok(response.status());
    if (!response->has_value()) return sizes;
    sizes.push_back(static_cast<std::int32_t>((*response)->payload().body().size()));
  }
}

/// Sends a request on the stream and checks the response to it.
void exchange_on(Duplex& stream, const Exchange& exchange) {
  check_ok(stream.write(exchange_request(exchange)));
  auto response = stream.read();
  check_ok(response.status());
  check(response->has_value(), "the stream has ended");
  const std::size_t size = (*response)->payload().body().size();
  check(size == static_cast<std::size_t>(exchange.response), "the response has " + std::to_string(size) + " bytes");
}

void check_echoed(const Metadata& leading, const Metadata& trailing) {
  check(leading.get(leading_name) == leading_value, "the initial metadata was not echoed");
  check(trailing.get(trailing_name) == trailing_value, "the trailing metadata was not echoed");
}

void check_refused(const Status& status, StatusCode code, std::string_view message) {
  check_code(status, code);
  check(status.message() == message, "the message is: " + std::string(status.message()));
}

// The cases, named as in gRPC's description of them.

void empty_unary(Channel& channel) {
  const auto response = call<testing::Empty>(channel, "grpc.testing.TestService/EmptyCall", testing::Empty());
  check_ok(response.status());
  check(response->ByteSizeLong() == 0, "the response is not empty");
}

void large_unary(Channel& channel) {
  const auto response = call<testing::SimpleResponse>(channel, "grpc.testing.TestService/UnaryCall", large_request());
  check_ok(response.status());
  check(response->payload().body() == std::string(314159, '\0'), "the response is another one");
}

void client_streaming(Channel& channel) {
  auto stream = channel.stream<testing::StreamingInputCallRequest, testing::StreamingInputCallResponse>(
      channel.method("grpc.testing.TestService/StreamingInputCall"), options());
  for (const Exchange& each : exchanges) {
    testing::StreamingInputCallRequest request;
    request.mutable_payload()->set_body(std::string(each.request, '\0'));
    check_ok(stream.write(request));
  }
  testing::StreamingInputCallResponse response;
  check_ok(stream.finish(response));
  check(response.aggregated_payload_size() == 74922, std::to_string(response.aggregated_payload_size()));
}

void server_streaming(Channel& channel) {
  Request request;
  std::vector<std::int32_t> sizes;
  for (const Exchange& each : exchanges) {
    request.add_response_parameters()->set_size(each.response);
    sizes.push_back(each.response);
  }
  Duplex stream = channel.server_stream<Response>(channel.method("grpc.testing.TestService/StreamingOutputCall"),
                                                  request, options());
  check(read_all(stream) == sizes, "the responses have other sizes");
}

void ping_pong(Channel& channel) {
  Duplex stream = full_duplex(channel);
  for (const Exchange& each : exchanges) exchange_on(stream, each);
  check_ok(stream.close_writes());
  check(read_all(stream).empty(), "the server has sent more than it was asked for");
}

void empty_stream(Channel& channel) {
  Duplex stream = full_duplex(channel);
  check_ok(stream.close_writes());
  check(read_all(stream).empty(), "the server has sent something");
}

void timeout_on_sleeping_server(Channel& channel) {
  CallOptions how;
  how.timeout = std::chrono::milliseconds(1);
  Duplex stream = full_duplex(channel, how);
  // Fails if the deadline has passed already; the status is read below.
  static_cast<void>(stream.write(exchange_request({.response = 0, .request = 27182})));
  check_code(stream.finish(), StatusCode::deadline_exceeded);
}

void cancel_after_begin(Channel& channel) {
  auto stream = channel.stream<testing::StreamingInputCallRequest, testing::StreamingInputCallResponse>(
      channel.method("grpc.testing.TestService/StreamingInputCall"), options());
  stream.cancel();
  check_code(stream.finish(), StatusCode::cancelled);
}

void cancel_after_first_response(Channel& channel) {
  Duplex stream = full_duplex(channel);
  exchange_on(stream, exchanges[0]);
  stream.cancel();
  check_code(stream.finish(), StatusCode::cancelled);
}

void custom_metadata(Channel& channel) {
  CallOptions how = options_with_metadata();
  ResponseInfo info;
  how.response_info = &info;
  check_ok(call<testing::SimpleResponse>(channel, "grpc.testing.TestService/UnaryCall", large_request(), how).status());
  check_echoed(info.leading, info.trailing);

  Duplex stream = full_duplex(channel, options_with_metadata());
  exchange_on(stream, {.response = 314159, .request = 271828});
  check_ok(stream.close_writes());
  check(read_all(stream).empty(), "the server has sent more than it was asked for");
  check_echoed(stream.leading(), stream.trailing());
}

void status_code_and_message(Channel& channel) {
  testing::EchoStatus status;
  status.set_code(2);
  status.set_message("test status message");
  testing::SimpleRequest request;
  *request.mutable_response_status() = status;
  check_refused(call<testing::SimpleResponse>(channel, "grpc.testing.TestService/UnaryCall", request).status(),
                StatusCode::unknown, status.message());

  Request streamed;
  *streamed.mutable_response_status() = status;
  Duplex stream = full_duplex(channel);
  check_ok(stream.write(streamed));
  check_ok(stream.close_writes());
  check_refused(stream.finish(), StatusCode::unknown, status.message());
}

void special_status_message(Channel& channel) {
  constexpr std::string_view text =
      "\t\ntest with whitespace\r\nand Unicode BMP \xe2\x98\xba and non-BMP \xf0\x9f\x98\x88\t\n";
  testing::SimpleRequest request;
  request.mutable_response_status()->set_code(2);
  request.mutable_response_status()->set_message(std::string(text));
  check_refused(call<testing::SimpleResponse>(channel, "grpc.testing.TestService/UnaryCall", request).status(),
                StatusCode::unknown, text);
}

void unimplemented_method(Channel& channel) {
  check_code(call<testing::Empty>(channel, "grpc.testing.TestService/UnimplementedCall", testing::Empty()).status(),
             StatusCode::unimplemented);
}

void unimplemented_service(Channel& channel) {
  check_code(
      call<testing::Empty>(channel, "grpc.testing.UnimplementedService/UnimplementedCall", testing::Empty()).status(),
      StatusCode::unimplemented);
}

struct Case {
  std::string_view name;
  void (*play)(Channel& channel);
};
constexpr Case cases[] = {
    {"empty_unary", empty_unary},
    {"large_unary", large_unary},
    {"client_streaming", client_streaming},
    {"server_streaming", server_streaming},
    {"ping_pong", ping_pong},
    {"empty_stream", empty_stream},
    {"timeout_on_sleeping_server", timeout_on_sleeping_server},
    {"cancel_after_begin", cancel_after_begin},
    {"cancel_after_first_response", cancel_after_first_response},
    {"custom_metadata", custom_metadata},
    {"status_code_and_message", status_code_and_message},
    {"special_status_message", special_status_message},
    {"unimplemented_method", unimplemented_method},
    {"unimplemented_service", unimplemented_service},
};

/// False if a case fails.
bool play_all(Channel& channel) {
  bool all_pass = true;
  for (const Case& each : cases) {
    try {
      each.play(channel);
      std::cout << each.name << ": passed" << std::endl;
    } catch (const std::exception& error) {
      std::cout << each.name << ": failed: " << error.what() << std::endl;
      all_pass = false;
    }
  }
  return all_pass;
}

}  // namespace

}  // namespace trunkline::conformance

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: " << argv[0] << " ENDPOINT [CERTIFICATE]\n";
    return 2;
  }
  try {
    trunkline::ChannelOptions options;
    if (argc == 3) options.tls.ca_file = argv[2];
    trunkline::Channel channel(argv[1], std::move(options));
    return trunkline::conformance::play_all(channel) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "grpc_testing_client: " << error.what() << "\n";
    return 1;
  }
}
