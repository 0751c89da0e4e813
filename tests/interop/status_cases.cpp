// SPDX-License-Identifier: MIT
// Errors: every code with its message, details and metadata; calls that the runtime itself refuses.
#include "client.h"

#include <trunkline/plain.h>
#include <trunkline/protobuf.h>

#include <google/protobuf/duration.pb.h>

#include <array>
#include <memory>

namespace trunkline::interop {

namespace {

constexpr std::string_view message_text = "kaputt: größer als 世界 \U0001F4A5";

Value failing_with(int code) { return Value::object({{"code", code}, {"message", message_text}}); }

void expect_failure(const Status& status, int code) {
  expect_error(status, static_cast<StatusCode>(code), true);
  expect(status.origin() == StatusOrigin::peer, "its origin is not the peer: " + status.to_string());
  expect(status.message() == message_text, "another message: " + status.to_string());
  expect(status.details().size() == 2, "not two details: " + status.to_string());
  const auto duration = find_detail<google::protobuf::Duration>(status);
  expect(duration && duration->seconds() == code && duration->nanos() == 7, "another duration");
  const StatusDetail opaque{"example.com/opaque", std::string("\x00\xff", 2)};
  expect(status.details()[1] == opaque, "another second detail");
}

void status_codes(Client& client) {
  for (int code = 1; code <= 16; ++code) {
    ResponseInfo info;
    const Metadata sent{{"leading-a", "1"}, {"trailing-a", "2"}, {"trailing-b-bin", std::string("\x00\xff", 2)}};
    const auto response = client.channel().call<Empty>("interop.Test/Fail", failing_with(code),
                                                       {.metadata = sent, .response_info = &info});

    expect_failure(response.status(), code);
    expect(info.leading == Metadata{{"leading-a", "1"}}, "other leading metadata");
    expect(info.trailing == Metadata{{"trailing-a", "2"}, {"trailing-b-bin", std::string("\x00\xff", 2)}},
           "other trailing metadata");
  }
}

void status_codes_of_stream(Client& client) {
  for (int code = 1; code <= 16; ++code) {
    const Metadata sent{{"leading-a", "1"}, {"trailing-a", "2"}};
    auto stream =
        client.channel().server_stream<Value>("interop.Test/FailLate", failing_with(code), {.metadata = sent});

    expect(expect_message(stream.read()) == Value(1), "another message");
    expect_failure(stream.read().status(), code);
    expect_failure(stream.finish(), code);
    expect(stream.leading() == Metadata{{"leading-a", "1"}}, "other leading metadata");
    expect(stream.trailing() == Metadata{{"trailing-a", "2"}}, "other trailing metadata");
  }
}

void empty_status_message(Client& client) {
  const Value request = Value::object({{"code", 5}, {"message", ""}});
  const Status status = client.channel().call<Empty>("interop.Test/Fail", request).status();
  expect_error(status, StatusCode::not_found, true);
  expect(status.message().empty(), "a message: " + status.to_string());
}

void handler_that_raises(Client& client) {
  const Status status = client.channel().call<Empty>("interop.Test/Throw", Empty()).status();
  expect_error(status, StatusCode::internal, true);
  expect(status.origin() == StatusOrigin::peer, "its origin is not the peer");
  expect(status.message().find("secret") == std::string_view::npos,
         "the exception's text reached the caller: " + status.to_string());
  expect(status.message().starts_with("handler of interop.Test/Throw "), "it is not named: " + status.to_string());
}

void expect_unknown(const Client& client, const Status& status) {
  // A status of gRPC does not say that the call has not run.
  expect_error(status, StatusCode::unimplemented, client.is_grpc());
  expect(status.origin() == StatusOrigin::peer, "its origin is not the peer: " + status.to_string());
}

void unknown_method(Client& client) {
  expect_unknown(client, client.channel().call<Empty>("interop.Test/Unknown", Empty()).status());
  auto stream = client.channel().stream<std::string, std::string>("interop.Test/Unknown");
  expect_unknown(client, stream.read().status());
  expect_unknown(client, stream.finish());
}

/// A codec of integers as text.
class OwnCodec final : public Codec {
 public:
  std::string_view name() const noexcept override { return "own"; }
  bool supports(const MessageType& type) const noexcept override { return *type.type == typeid(int); }
  Status encode(MessageView message, BufferWriter& out) const override {
    return out.append(std::to_string(*message.as<int>())), Status::ok();
  }
  Status decode(const Slice& payload, MutableMessageView message) const override {
    return *message.as<int>() = std::stoi(payload.to_string()), Status::ok();
  }
};

void codec_unknown_to_server(Client& client) {
  ChannelOptions options = Client::options();
  options.codecs.add(std::make_shared<OwnCodec>());
  Channel channel(client.endpoint(), options);
  expect_unknown(client, channel.call<int>("interop.Test/Echo", 5, {.codec = "own"}).status());
}

void nobody_listens(Client& client) {
  const std::string protocol = client.is_grpc() ? "grpc+" : "";
  Channel channel(protocol + "unix:@trunkline interop: nobody", Client::options());
  const Status status = channel.call<Empty>("interop.Test/Nothing", Empty()).status();
  expect_error(status, StatusCode::unavailable, false);
  expect(status.origin() == StatusOrigin::transport, "its origin is not the transport: " + status.to_string());
}

constexpr std::array cases{
    Case{"status_codes", &status_codes},
    Case{"status_codes_of_stream", &status_codes_of_stream},
    Case{"empty_status_message", &empty_status_message},
    Case{"handler_that_raises", &handler_that_raises},
    Case{"unknown_method", &unknown_method},
    Case{"codec_unknown_to_server", &codec_unknown_to_server},
    Case{"nobody_listens", &nobody_listens},
};

}  // namespace

std::span<const Case> status_cases() { return cases; }

}  // namespace trunkline::interop
