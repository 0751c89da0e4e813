// SPDX-License-Identifier: MIT
// What tests/vectors/native_v1.json has for live sessions: conversations, split and cut at every byte; frames whose
// meaning depends on those before them; compressed messages.
#include "kit/script_replay.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <memory>

namespace trunkline::session::native {
namespace {

using kit::LoneSession;
using nlohmann::json;

const json& vectors() {
  static const json all = json::parse(std::ifstream(TRUNKLINE_VECTORS));
  return all;
}

const json& conversations() { return vectors().at("conversations"); }

std::string bytes_of(const std::string& hex) {
  std::string out;
  std::string digits;
  for (const char digit : hex) {
    if (digit == ' ') continue;
    digits += digit;
    if (digits.size() < 2) continue;
    out += static_cast<char>(std::stoi(digits, nullptr, 16));
    digits.clear();
  }
  return out;
}

/// A codec of any name that passes bytes through.
class NamedCodec final : public Codec {
 public:
  explicit NamedCodec(std::string name) : name_(std::move(name)) {}
  std::string_view name() const noexcept override { return name_; }
  bool supports(const MessageType&) const noexcept override { return true; }
  Status encode(MessageView, BufferWriter&) const override { return Status(StatusCode::internal, "not here"); }
  Status decode(const Slice&, MutableMessageView) const override { return Status(StatusCode::internal, "not here"); }

 private:
  std::string name_;
};

const CodecRegistry& named_codecs() {
  static const CodecRegistry registry = CodecRegistry()
                                            .add(std::make_shared<NamedCodec>("json"))
                                            .add(std::make_shared<NamedCodec>("protobuf"))
                                            .add(std::make_shared<NamedCodec>("bytes"));
  return registry;
}

/// What the session under test must do itself for the conversation to continue: a client starts its calls.
void act_as_client(kit::LoneSession& lone, const json& meaning) {
  if (meaning.value("type", "") != "call") return;
  const json headers = meaning.value("headers", json::object());
  const auto id = meaning.at("call").get<CallId>();
  const json flags = meaning.at("flags");
  const auto has = [&](const char* name) { return std::find(flags.begin(), flags.end(), name) != flags.end(); };
  const std::string method = headers.value("method", "again");
  CallStart start{.method = {1, method}, .end = has("end"), .one_way = has("one_way"), .context = lone.context_of(id)};
  static_cast<void>(lone.session().start(start, {}));
}

kit::Script script_of(const json& conversation, Role role) {
  kit::Script script{.role = role};
  script.options.codecs = &named_codecs();
  const std::string self = role == Role::client ? "client" : "server";
  for (const json& frame : conversation.at("frames")) {
    if (frame.at("from") == self) {
      if (role == Role::server) continue;
      script.steps.push_back(
          {"", [meaning = frame.at("meaning")](kit::LoneSession& lone) { act_as_client(lone, meaning); }});
    } else {
      script.steps.push_back({bytes_of(frame.at("bytes"))});
    }
  }
  return script;
}

class Conversations : public testing::TestWithParam<std::tuple<std::size_t, Role>> {
 protected:
  kit::Script script() const { return script_of(conversations().at(std::get<0>(GetParam())), std::get<1>(GetParam())); }
};

TEST_P(Conversations, AreUnderstood) {
  const kit::Script all = script();
  kit::LoneSession lone(all.role, all.options);
  bool broken = false;

  for (const kit::ScriptStep& step : all.steps) {
    lone.feed(step.bytes);
    if (step.act) step.act(lone);
    for (const kit::SeenFrame& frame : lone.sent_frames())
      broken = broken || (frame.is(wire::FrameType::goaway) && frame.header.number != 0);
  }

  EXPECT_FALSE(broken) << lone.session().close_reason().to_string();
  EXPECT_TRUE(lone.session().is_open() || lone.session().is_closed());
}

TEST_P(Conversations, MeanTheSameSplitAtEveryByte) { EXPECT_EQ(kit::replay_split_everywhere(script()), ""); }

TEST_P(Conversations, EndWellCutAtEveryByte) { EXPECT_EQ(kit::replay_cut_everywhere(script()), ""); }

TEST_P(Conversations, MeanTheSameUnbuffered) {
  kit::Script unbuffered = script();
  unbuffered.options.limits.read_buffer_bytes = 0;

  EXPECT_EQ(kit::replay(unbuffered), kit::replay(script()));
}

std::string name_of(const testing::TestParamInfo<Conversations::ParamType>& of) {
  return conversations().at(std::get<0>(of.param)).at("name").get<std::string>() +
         (std::get<1>(of.param) == Role::client ? "_client" : "_server");
}

INSTANTIATE_TEST_SUITE_P(All, Conversations,
                         testing::Combine(testing::Range<std::size_t>(0, conversations().size()),
                                          testing::Values(Role::client, Role::server)),
                         name_of);

// --- frames in a context ---

/// A receiver with the early limits of docs/wire.md, section 3, which are also the least ones where there are any.
SessionOptions early_options() {
  const wire::Hello early;
  SessionOptions options = kit::plain_options();
  options.codecs = &named_codecs();
  options.max_concurrent_calls = early.max_concurrent_calls;
  options.limits.max_frame_bytes = early.max_frame_bytes;
  options.limits.max_message_bytes = early.max_message_bytes;
  options.limits.connection_credit_bytes = early.connection_credit;
  options.limits.call_credit_bytes = early.call_credit;
  options.limits.max_header_bytes = early.max_header_bytes;
  options.limits.max_methods = early.max_methods;
  return options;
}

std::string bytes_of_frame(const json& frame) {
  std::string bytes = bytes_of(frame.at("bytes").get<std::string>());
  if (frame.contains("fill")) {
    const std::string fill = bytes_of(frame.at("fill").at("byte").get<std::string>());
    for (auto times = frame.at("fill").at("times").get<std::size_t>(); times > 0; --times) bytes += fill;
  }
  return bytes;
}

/// What the receiver has sent but credit, as the file writes it.
json responses_in(const std::vector<kit::SeenFrame>& frames) {
  json sent = json::array();
  for (const kit::SeenFrame& frame : frames) {
    if (frame.is(wire::FrameType::credit)) continue;
    json response{{"type", to_string(frame.header.type)}, {"call", frame.header.call}, {"number", frame.header.number}};
    if (frame.is(wire::FrameType::finish)) response["unprocessed"] = frame.header.has(wire::flag::unprocessed);
    sent.push_back(std::move(response));
  }
  return sent;
}

/// A frame with `times` is that many frames.
json expanded(const json& frames) {
  json all = json::array();
  for (json frame : frames) {
    const auto times = frame.value("times", std::size_t{1});
    frame.erase("times");
    for (std::size_t i = 0; i < times; ++i) all.push_back(frame);
  }
  return all;
}

class Context : public testing::TestWithParam<std::size_t> {
 protected:
  /// What the receiver has sent, credit left out: that is added up in `granted`, for each call.
  static json replay(const json& vector, std::size_t part, std::map<CallId, std::uint64_t>& granted) {
    const bool is_server = vector.at("receiver") == "server";
    LoneSession lone(is_server ? Role::server : Role::client, early_options());
    lone.retain_messages = true;
    const wire::Hello hello{.codecs = {"protobuf", "unknown"}, .compressors = {"snappy"}};
    lone.feed(kit::preface() + (vector.value("hello", true) ? kit::hello(hello) : std::string()));
    for (CallId id = 1; id <= vector.value("calls", 0u); ++id) {
      const CallStart start{.method = {1, "a/b"}, .context = lone.context_of(id)};
      EXPECT_TRUE(lone.session().start(start, {}).is_ok());
    }
    static_cast<void>(lone.sent_frames());
    for (const json& frame : vector.at("frames")) {
      std::string bytes;
      for (auto times = frame.value("times", std::size_t{1}); times > 0; --times) bytes += bytes_of_frame(frame);
      lone.feed(bytes, part);
    }
    const std::vector<kit::SeenFrame> sent = lone.sent_frames();
    for (const kit::SeenFrame& frame : sent) {
      if (frame.is(wire::FrameType::credit)) granted[frame.header.call] += frame.header.number;
    }
    return responses_in(sent);
  }
  void expect_responses(std::size_t part) {
    std::map<CallId, std::uint64_t> granted;

    EXPECT_EQ(replay(vector(), part, granted), expanded(vector().at("sends"))) << vector().at("rule");

    for (const json& grant : vector().value("grants", json::array())) {
      const auto call = grant.at("call").get<CallId>();
      EXPECT_GE(granted[call], grant.at("least").get<std::uint64_t>()) << "call " << call;
      EXPECT_LE(granted[call], grant.at("most").get<std::uint64_t>()) << "call " << call;
    }
  }
  static const json& vector() { return vectors().at("context").at(GetParam()); }
};

TEST_P(Context, IsAnsweredAsTheVectorSays) { expect_responses(static_cast<std::size_t>(-1)); }

TEST_P(Context, IsAnsweredAlikeInSmallParts) { expect_responses(7); }

INSTANTIATE_TEST_SUITE_P(All, Context, testing::Range<std::size_t>(0, vectors().at("context").size()),
                         [](const auto& of) {
                           return vectors().at("context").at(of.param).at("name").template get<std::string>();
                         });

// --- prefaces ---

class WrongPreface : public testing::TestWithParam<std::tuple<std::size_t, Role>> {};

TEST_P(WrongPreface, IsAnsweredByAGoaway) {
  const auto& [index, role] = GetParam();
  LoneSession lone(role, early_options());

  lone.feed(bytes_of(vectors().at("wrong_prefaces").at(index).at("bytes").get<std::string>()));

  // Behind this side's preface; a client has sent its hello as well.
  const std::vector<kit::SeenFrame> frames = lone.sent_frames();
  ASSERT_EQ(frames.size(), role == Role::client ? 2u : 1u);
  EXPECT_TRUE(frames.back().is(wire::FrameType::goaway));
  EXPECT_EQ(frames.back().header.number, static_cast<std::uint32_t>(StatusCode::internal));
  EXPECT_TRUE(lone.session().is_closed());
}

INSTANTIATE_TEST_SUITE_P(All, WrongPreface,
                         testing::Combine(testing::Range<std::size_t>(0, vectors().at("wrong_prefaces").size()),
                                          testing::Values(Role::client, Role::server)));

// --- compressed messages ---

class CompressedMessage : public testing::TestWithParam<std::size_t> {};

TEST_P(CompressedMessage, DecompressesToItsPlainBytes) {
  static const CompressorRegistry built_in = CompressorRegistry::with_defaults();
  const json& vector = vectors().at("compressed").at(GetParam());
  const auto name = vector.at("compressor").get<std::string>();
  if (built_in.find(name) == nullptr) GTEST_SKIP() << name << " is not built in";
  SessionOptions options = kit::plain_options();
  options.compressors = &built_in;
  LoneSession lone(Role::server, options);
  lone.greet({.codecs = {"bytes"}, .compressors = {name}});
  kit::FrameSpec call = kit::call(1, 1, "a/b", bytes_of(vector.at("bytes").get<std::string>()));
  call.compressor = 1;

  lone.feed({call});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].status.is_ok()) << events[0].status.to_string();
  EXPECT_EQ(events[0].payload, bytes_of(vector.at("plain").get<std::string>()));
}

INSTANTIATE_TEST_SUITE_P(All, CompressedMessage, testing::Range<std::size_t>(0, vectors().at("compressed").size()),
                         [](const auto& of) {
                           return vectors().at("compressed").at(of.param).at("name").template get<std::string>();
                         });

/// Calls of every kind in one script, for the ways a transport may deliver or fail.
kit::Script mixed_script() {
  kit::FrameSpec stream = kit::call(2, 1);
  stream.flags = wire::flag::message;
  kit::FrameSpec chunked = kit::call(3, 1, {}, "abc");
  chunked.flags = wire::flag::message | wire::flag::more;
  chunked.message_bytes = 6;
  kit::FrameSpec rest = kit::message(3, "def", wire::flag::end);
  rest.codec = 0;
  kit::FrameSpec one_way = kit::call(4, 1, {}, "x");
  one_way.flags |= wire::flag::one_way;
  const auto finish = [](CallId id) {
    return [id](kit::LoneSession& lone) {
      static_cast<void>(lone.session().finish(id, {}, kit::payload("done"), nullptr, false));
    };
  };
  kit::Script script{.role = Role::server};
  script.steps = {{kit::greeting()},
                  {kit::call(1, 1, "a/b", "one").bytes() + stream.bytes() + chunked.bytes(), finish(1)},
                  {kit::ping().bytes() + kit::message(2, "m").bytes() + rest.bytes() + one_way.bytes(), finish(3)},
                  {kit::FrameSpec{.type = wire::FrameType{0x90}, .body = "skip"}.bytes() + kit::cancel(2).bytes()},
                  {kit::goaway(0).bytes()}};
  return script;
}

TEST(MixedScript, MeansTheSameSplitAtEveryByte) { EXPECT_EQ(kit::replay_split_everywhere(mixed_script()), ""); }

TEST(MixedScript, EndsWellCutAtEveryByte) { EXPECT_EQ(kit::replay_cut_everywhere(mixed_script()), ""); }

}  // namespace
}  // namespace trunkline::session::native
