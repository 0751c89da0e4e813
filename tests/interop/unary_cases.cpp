// SPDX-License-Identifier: MIT
// One request, one response: sizes, codecs, compressors, one-way calls.
#include "client.h"
#include "counting_compressor.h"

#include <trunkline/protobuf.h>

#include <google/protobuf/wrappers.pb.h>

#include <array>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace trunkline::interop {

namespace {

using google::protobuf::StringValue;

constexpr std::size_t several_mib = 5u << 20;

void empty_unary(Client& client) {
  expect_value(client.channel().call<Empty>("interop.Test/Nothing", Empty()));
  expect(expect_value(client.channel().call<std::string>("interop.Test/Echo", std::string())).empty(), "not empty");
}

void large_unary(Client& client) {
  std::string large(several_mib, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 7 + i / 251);

  expect(expect_value(client.channel().call<std::string>("interop.Test/Echo", large)) == large, "another message");
  const std::string size = std::to_string(several_mib);
  const auto made = expect_value(client.channel().call<std::string>("interop.Test/Make", size));
  expect(made == std::string(several_mib, 'x'), "another message");
}

void too_large_request(Client& client) {
  const std::string large((8u << 20) + 1, 'x');
  // Over gRPC a client does not know the server's limit, and a status does not say that the server has refused the
  // call.
  const bool may_have_run = client.is_grpc();
  expect_error(client.channel().call<std::string>("interop.Test/Echo", large).status(), StatusCode::resource_exhausted,
               may_have_run);
  empty_unary(client);
}

void too_large_response(Client& client) {
  const std::string size = std::to_string((8u << 20) + 1);
  expect_error(client.channel().call<std::string>("interop.Test/Make", size).status(), StatusCode::resource_exhausted,
               true);
  empty_unary(client);
}

void codec_bytes(Client& client) {
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  expect(expect_value(client.channel().call<std::string>("interop.Test/Echo", all)) == all, "other bytes");
}

Value values() {
  return Value::object({{"null", nullptr},
                        {"booleans", Value::array({true, false})},
                        {"integers", Value::array({0, -1, std::numeric_limits<std::int64_t>::min(),
                                                   std::numeric_limits<std::uint64_t>::max()})},
                        {"floats", Value::array({0.5, -1e300, 1.0})},
                        {"texts", Value::array({"", "grüße, 世界 \U0001F680", "\"quoted\"\n"})},
                        {"empty", Value::array({Value::array(), Value::object()})}});
}

void codec_json(Client& client) {
  const auto echoed = client.channel().call<Value>("interop.Test/EchoValue", values(), {.codec = "json"});
  expect(expect_value(echoed) == values(), "another value");
}

void codec_msgpack(Client& client) {
  Value value = values();
  value["bytes"] = Value::bytes(as_bytes(std::string_view("\x00\xff", 2)));
  const auto echoed = client.channel().call<Value>("interop.Test/EchoValue", value, {.codec = "msgpack"});
  expect(expect_value(echoed) == value, "another value");
}

void codec_protobuf(Client& client) {
  StringValue text;
  text.set_value("grüße");
  const auto echoed = client.channel().call<StringValue>("interop.Test/EchoText", text);
  expect(expect_value(echoed).value() == "grüße", "another text");
  const auto empty = client.channel().call<StringValue>("interop.Test/EchoText", StringValue());
  expect(expect_value(empty).value().empty(), "another text");
}

void codec_protobuf_as_json(Client& client) {
  const auto echoed = client.channel().call<Value>("interop.Test/EchoText", Value("grüße"), {.codec = "json"});
  expect(expect_value(echoed) == Value("grüße"), "another text");
}

void request_that_does_not_parse(Client& client) {
  const auto response = client.channel().call<Value>("interop.Test/EchoText", Value(5), {.codec = "json"});
  // Whether the call may have run differs: in Python the request is parsed next to the handler.
  expect(response.status().code() == StatusCode::invalid_argument, response.status().to_string());
  expect(response.status().origin() == StatusOrigin::peer, "its origin is not the peer");
}

void compression(Client& client) {
  const auto snappy = CountingCompressor::of_snappy();
  ChannelOptions options = Client::options();
  options.compressors.add(snappy);
  Channel channel(client.endpoint(), options);
  expect_ok(channel.wait_for_ready(patience));
  const Value before = expect_value(channel.call<Value>("interop.Test/Compressions", Empty()));
  const std::string text(1u << 20, 'a');

  const auto echoed = channel.call<std::string>("interop.Test/Echo", text, {.compressor = "snappy"});

  expect(expect_value(echoed) == text, "another message");
  expect(snappy->compressed == 1 && snappy->decompressed == 1, "compressed " + std::to_string(snappy->compressed) +
                                                                   " times, decompressed " +
                                                                   std::to_string(snappy->decompressed) + " times");
  const Value after = expect_value(channel.call<Value>("interop.Test/Compressions", Empty()));
  if (before.is_null()) return;
  expect(after.at(0).as_int64() > before.at(0).as_int64(), "the server has not compressed");
  expect(after.at(1).as_int64() > before.at(1).as_int64(), "the server has not decompressed");
}

void compressor_unknown_to_server(Client& client) {
  const auto own = CountingCompressor::of_snappy("own");
  ChannelOptions options = Client::options();
  options.compressors.add(own);
  Channel channel(client.endpoint(), options);
  expect_ok(channel.wait_for_ready(patience));
  const std::string text(1u << 20, 'a');
  if (client.is_grpc()) {
    // Which compressors the server has is known when it has responded.
    const auto refused = channel.call<std::string>("interop.Test/Echo", text, {.compressor = "own"});
    expect_error(refused.status(), StatusCode::unimplemented, true);
    expect(own->compressed.exchange(0) == 1, "it was not compressed");
  }

  const auto echoed = channel.call<std::string>("interop.Test/Echo", text, {.compressor = "own"});

  expect(expect_value(echoed) == text, "another message");
  expect(own->compressed == 0 && own->decompressed == 0, "it was compressed");
  expect_error(channel.call<std::string>("interop.Test/Echo", text, {.compressor = "unheard-of"}).status(),
               StatusCode::invalid_argument, false);
}

void one_way(Client& client) {
  const std::string name = client.fresh_name();
  const Value event = Value::object({{"name", name}, {"value", 17}});
  expect_ok(client.channel().call_oneway("interop.Test/Tell", event));
  expect(client.wait_for(name) == Value(17), "another value");
  // Its failure is not reported, and later calls are not affected.
  expect_ok(client.channel().call_oneway("interop.Test/Throw", Empty()));
  expect_ok(client.channel().call_oneway("interop.Test/Unknown", Empty()));
  empty_unary(client);
}

constexpr std::array cases{
    Case{"empty_unary", &empty_unary},
    Case{"large_unary", &large_unary},
    Case{"too_large_request", &too_large_request},
    Case{"too_large_response", &too_large_response},
    Case{"codec_bytes", &codec_bytes},
    Case{"codec_json", &codec_json},
    Case{"codec_msgpack", &codec_msgpack},
    Case{"codec_protobuf", &codec_protobuf},
    Case{"codec_protobuf_as_json", &codec_protobuf_as_json},
    Case{"request_that_does_not_parse", &request_that_does_not_parse},
    Case{"compression", &compression},
    Case{"compressor_unknown_to_server", &compressor_unknown_to_server},
    Case{"one_way", &one_way},
};

}  // namespace

std::span<const Case> unary_cases() { return cases; }

}  // namespace trunkline::interop
