// SPDX-License-Identifier: MIT
// Heads of requests: which protocol they are of, what they say, and how they are refused.
#include "session/web/call_head_reader.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::session::web {
namespace {

using namespace std::chrono_literals;
using Outcome = CallHeadReader::Outcome;
using Fields = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view path = "/example.Echo/Say";

class CallHeadReaderTest : public testing::Test {
 protected:
  Outcome read(std::string_view method, std::string_view target, const Fields& fields) {
    target_ = target;
    reader.begin();
    for (const auto& [name, value] : fields) {
      FieldName known{};
      EXPECT_TRUE(find_field_name(name, known)) << name;
      static_cast<void>(reader.add(known, value));
    }
    return reader.finish({.method = method, .target = target_, .authority = "host:80"}, head);
  }
  Outcome post(const Fields& fields) { return read("POST", path, fields); }
  std::string_view codec() const { return head.codec != nullptr ? head.codec->name() : "none"; }

  CodecRegistry codecs = CodecRegistry::with_defaults();
  CompressorRegistry compressors = CompressorRegistry::with_defaults();
  SessionOptions options{.codecs = &codecs, .compressors = &compressors};
  MessageEncodings encodings{&compressors};
  CallHeadReader reader{options, encodings};
  CallHead head;

 private:
  std::string target_;
};

TEST_F(CallHeadReaderTest, KnowsTheProtocolByTheContentType) {
  std::vector<std::pair<std::string, Format>> types{
      {"application/grpc-web+json", Format::grpc_web},      {"application/grpc-web-text+json", Format::grpc_web_text},
      {"application/connect+json", Format::connect_stream}, {"application/json", Format::plain},
      {"application/json; charset=UTF-8", Format::plain},   {"application/x-www-form-urlencoded", Format::plain},
      {"text/plain;charset=utf-8", Format::plain},          {"", Format::plain},
  };
  // These stand for protobuf, which not every build has.
  if (codecs.find("protobuf") != nullptr) {
    types.insert(types.end(),
                 {{"application/grpc-web", Format::grpc_web}, {"application/grpc-web-text", Format::grpc_web_text}});
  }
  for (const auto& [type, format] : types) {
    ASSERT_EQ(post({{"content-type", type}}), Outcome::call) << type;
    EXPECT_EQ(head.format, format) << type;
    EXPECT_EQ(reader.method(), "example.Echo/Say") << type;
  }
  EXPECT_EQ(post({{"content-type", "application/grpc"}}), Outcome::grpc);
  EXPECT_EQ(post({{"content-type", "application/grpc+json"}}), Outcome::grpc);
}

TEST_F(CallHeadReaderTest, TakesABodyForConnectIfItsVersionIsNamed) {
  ASSERT_EQ(post({{"content-type", "application/json"}, {"connect-protocol-version", "1"}}), Outcome::call);

  EXPECT_EQ(head.format, Format::connect_unary);
}

TEST_F(CallHeadReaderTest, RefusesAnotherVersionOfConnect) {
  ASSERT_EQ(post({{"content-type", "application/json"}, {"connect-protocol-version", "2"}}), Outcome::refused);

  EXPECT_EQ(reader.answer_format(), Format::connect_unary);
  EXPECT_EQ(reader.status().code(), StatusCode::invalid_argument);
}

TEST_F(CallHeadReaderTest, FindsTheCodecByNamesOfMediaTypes) {
  const std::vector<std::pair<std::string, std::string_view>> types{
      {"application/json", "json"},         {"application/msgpack", "msgpack"},
      {"application/x-msgpack", "msgpack"}, {"application/vnd.msgpack", "msgpack"},
      {"application/bytes", "bytes"},       {"application/octet-stream", "bytes"},
      {"APPLICATION/JSON", "json"},         {"application/connect+msgpack", "msgpack"},
  };
  for (const auto& [type, name] : types) {
    ASSERT_EQ(post({{"content-type", type}}), Outcome::call) << type;
    EXPECT_EQ(codec(), name) << type;
  }
}

TEST_F(CallHeadReaderTest, AnswersAnUnknownContentTypeWithAText) {
  for (const char* type : {"application/foo", "image/jpeg", "application/connect+foo", "application/grpc-web+foo",
                           "application/json; charset=latin1", "application/connect", "application/", "json"}) {
    ASSERT_EQ(post({{"content-type", type}, {"connect-protocol-version", "1"}}), Outcome::refused) << type;
    EXPECT_EQ(reader.http_status(), 415u) << type;
    EXPECT_FALSE(reader.answer_format()) << type;
  }
}

TEST_F(CallHeadReaderTest, AnswersOtherMethodsWithAText) {
  for (const char* method : {"DELETE", "PUT", "OPTIONS", "HEAD", "post"}) {
    ASSERT_EQ(read(method, path, {{"content-type", "application/proto"}}), Outcome::refused) << method;
    EXPECT_EQ(reader.http_status(), 405u) << method;
    EXPECT_FALSE(reader.answer_format()) << method;
  }
}

TEST_F(CallHeadReaderTest, ReadsTimeoutsOfEachProtocol) {
  ASSERT_EQ(post({{"content-type", "application/json"}, {"connect-timeout-ms", "1500"}}), Outcome::call);
  EXPECT_EQ(head.timeout, 1500ms);
  ASSERT_EQ(post({{"content-type", "application/connect+json"}, {"connect-timeout-ms", "9999999999"}}), Outcome::call);
  EXPECT_EQ(head.timeout, 9999999999ms);
  ASSERT_EQ(post({{"content-type", "application/grpc-web+json"}, {"grpc-timeout", "2S"}}), Outcome::call);
  EXPECT_EQ(head.timeout, 2s);
  ASSERT_EQ(post({{"content-type", "application/json"}}), Outcome::call);
  EXPECT_EQ(head.timeout, std::nullopt);
}

TEST_F(CallHeadReaderTest, RefusesTimeoutsThatAreMalformed) {
  for (const char* timeout : {"", "x", "1x", "-1", "12345678901", "1,1"}) {
    ASSERT_EQ(post({{"content-type", "application/json"}, {"connect-timeout-ms", timeout}}), Outcome::refused);
    EXPECT_EQ(reader.status().code(), StatusCode::invalid_argument) << timeout;
    EXPECT_EQ(reader.answer_format(), Format::plain) << timeout;
  }
}

TEST_F(CallHeadReaderTest, ReadsEncodingsOfEachProtocol) {
  const Compressor* const snappy = compressors.find("snappy");
  CompressorSet accepted;
  for (std::size_t position = 0; position < compressors.compressors().size(); ++position) {
    if (compressors.compressors()[position].get() == snappy) accepted.insert(position);
  }
  const std::vector<Fields> requests{
      {{"content-type", "application/json"},
       {"content-encoding", "snappy"},
       {"accept-encoding", "compress, snappy;q=0.5"}},
      {{"content-type", "application/connect+json"},
       {"connect-content-encoding", "snappy"},
       {"connect-accept-encoding", "identity,snappy"},
       {"accept-encoding", "gzip"}},
      {{"content-type", "application/grpc-web+json"},
       {"grpc-encoding", "snappy"},
       {"grpc-accept-encoding", "snappy"},
       {"accept-encoding", "gzip"}},
  };
  for (const Fields& fields : requests) {
    ASSERT_EQ(post(fields), Outcome::call) << fields[0].second;
    EXPECT_EQ(head.compressor, snappy) << fields[0].second;
    EXPECT_EQ(head.accepted, accepted) << fields[0].second;
  }
}

TEST_F(CallHeadReaderTest, AcceptsNothingOfWeightZero) {
  ASSERT_EQ(post({{"content-type", "application/json"}, {"accept-encoding", "snappy;q=0, gzip; q=0.000"}}),
            Outcome::call);

  EXPECT_TRUE(head.accepted.empty());
}

TEST_F(CallHeadReaderTest, RefusesAnUnknownEncodingInTheProtocolOfTheCall) {
  ASSERT_EQ(post({{"content-type", "application/connect+json"}, {"connect-content-encoding", "foo"}}),
            Outcome::refused);

  EXPECT_EQ(reader.answer_format(), Format::connect_stream);
  EXPECT_EQ(reader.answer_codec(), codecs.find("json"));
  EXPECT_EQ(reader.status().code(), StatusCode::unimplemented);
}

TEST_F(CallHeadReaderTest, ReadsTheMessageOfAGet) {
  ASSERT_EQ(read("GET", "/example.Echo/Say?connect=v1&encoding=json&message=%7B%22a%22%3A1%7D", {}), Outcome::call);
  EXPECT_TRUE(head.is_get);
  EXPECT_EQ(head.format, Format::connect_unary);
  EXPECT_EQ(codec(), "json");
  EXPECT_EQ(reader.method(), "example.Echo/Say");
  ASSERT_TRUE(reader.message());
  EXPECT_EQ(reader.message()->text(), "{\"a\":1}");

  ASSERT_EQ(read("GET", "/a?connect=v1&encoding=bytes&base64=1&message=-_8A&compression=snappy", {}), Outcome::call);
  EXPECT_EQ(reader.message()->text(), std::string_view("\xFB\xFF\x00", 3));
  EXPECT_EQ(head.compressor, compressors.find("snappy"));
}

TEST_F(CallHeadReaderTest, TakesAPlainGetWithoutAQuery) {
  ASSERT_EQ(read("GET", path, {}), Outcome::call);

  EXPECT_TRUE(head.is_get);
  EXPECT_EQ(head.format, Format::plain);
  EXPECT_EQ(codec(), "json");
  EXPECT_FALSE(reader.message());
}

TEST_F(CallHeadReaderTest, RefusesMalformedQueries) {
  for (const char* query : {"connect=v2&encoding=json&message=1", "connect=v1&message=1", "connect=v1&encoding=json",
                            "encoding=json&message=%4", "encoding=json&base64=1&message=*", "message=1&message=1",
                            "encoding=json&encoding=json&message=1", "base64=1&base64=1&message=1",
                            "connect=v1&connect=v1&encoding=json&message=1", "compression=&compression=&message=1"}) {
    ASSERT_EQ(read("GET", std::string(path) + "?" + query, {}), Outcome::refused) << query;
    EXPECT_EQ(reader.status().code(), StatusCode::invalid_argument) << query;
    EXPECT_TRUE(reader.answer_format()) << query;
  }
}

TEST_F(CallHeadReaderTest, TakesOtherParametersOfAQueryAsOftenAsTheyCome) {
  EXPECT_EQ(read("GET", std::string(path) + "?message=1&other=1&other=2", {}), Outcome::call);
}

TEST_F(CallHeadReaderTest, RefusesAMessageInAQueryThatIsTooLong) {
  options.limits.max_message_bytes = 10;

  EXPECT_EQ(read("GET", std::string(path) + "?message=1234567890", {}), Outcome::call);
  ASSERT_EQ(read("GET", std::string(path) + "?message=12345678901", {}), Outcome::refused);
  EXPECT_EQ(reader.status().code(), StatusCode::resource_exhausted);
}

TEST_F(CallHeadReaderTest, AnswersWithEventsIfThoseAreAskedFor) {
  ASSERT_EQ(read("GET", path, {{"accept", "text/event-stream"}}), Outcome::call);
  EXPECT_EQ(head.format, Format::events);
  ASSERT_EQ(post({{"content-type", "application/json"}, {"accept", "text/event-stream"}}), Outcome::call);
  EXPECT_EQ(head.format, Format::events);
  ASSERT_EQ(post({{"content-type", "application/msgpack"}, {"accept", "text/event-stream"}}), Outcome::call);
  EXPECT_EQ(head.format, Format::plain);
  ASSERT_EQ(read("GET", "/example.Echo/Say", {{"accept", "text/event-stream"}}), Outcome::call);
  EXPECT_EQ(head.format, Format::events);
  ASSERT_EQ(read("GET", "/example.Echo/Say?encoding=msgpack", {{"accept", "text/event-stream"}}), Outcome::call);
  EXPECT_EQ(head.format, Format::plain);
  ASSERT_EQ(post({{"content-type", "application/json"}, {"accept", "application/json, text/event-stream"}}),
            Outcome::call);
  EXPECT_EQ(head.format, Format::plain);
}

TEST_F(CallHeadReaderTest, RefusesPagesOfOtherSitesThatNeedNotAsk) {
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded"}) {
    EXPECT_EQ(post({{"content-type", type}, {"origin", "https://evil.example"}}), Outcome::refused) << type;
    EXPECT_EQ(reader.http_status(), 403u) << type;
    EXPECT_EQ(post({{"content-type", type}, {"origin", "null"}}), Outcome::refused) << type;
    EXPECT_EQ(post({{"content-type", type}, {"origin", "http://host:80"}}), Outcome::call) << type;
  }
  options.allowed_origins = {"https://app.example"};
  EXPECT_EQ(post({{"content-type", "text/plain"}, {"origin", "https://app.example"}}), Outcome::call);
  EXPECT_EQ(post({{"content-type", "text/plain"}, {"origin", "http://host:80"}}), Outcome::refused);
  // Browsers ask before they send this for another site, and nobody answers.
  EXPECT_EQ(post({{"content-type", "application/json"}, {"origin", "https://evil.example"}}), Outcome::call);
}

TEST_F(CallHeadReaderTest, RefusesAGetForAPageOfAnotherSite) {
  EXPECT_EQ(read("GET", path, {{"sec-fetch-site", "cross-site"}}), Outcome::refused);
  EXPECT_EQ(reader.http_status(), 403u);
  EXPECT_EQ(read("GET", path, {{"sec-fetch-site", "same-site"}}), Outcome::refused);
  EXPECT_EQ(read("GET", path, {{"sec-fetch-site", "same-origin"}}), Outcome::call);
  EXPECT_EQ(read("GET", path, {{"sec-fetch-site", "none"}}), Outcome::call);
}

TEST_F(CallHeadReaderTest, LetsPagesOfOriginsThatAreAllowedCall) {
  options.cors_origins = {"https://app.example"};
  for (const char* type : {"", "text/plain", "application/json", "application/grpc-web+json"}) {
    EXPECT_EQ(post({{"content-type", type}, {"origin", "https://app.example"}}), Outcome::call) << type;
    EXPECT_EQ(head.cors_origin, &options.cors_origins[0]) << type;
  }
  EXPECT_EQ(read("GET", path, {{"sec-fetch-site", "cross-site"}, {"origin", "https://app.example"}}), Outcome::call);
  EXPECT_EQ(read("GET", path, {{"sec-fetch-site", "cross-site"}}), Outcome::refused);
  EXPECT_EQ(head.cors_origin, nullptr);
  EXPECT_EQ(post({{"content-type", "text/plain"}, {"origin", "https://evil.example"}}), Outcome::refused);
  EXPECT_EQ(post({{"content-type", "image/png"}, {"origin", "https://app.example"}}), Outcome::refused);
  EXPECT_EQ(reader.cors_origin(), &options.cors_origins[0]);
  EXPECT_EQ(post({{"content-type", "application/json"}}), Outcome::call);
  EXPECT_EQ(head.cors_origin, nullptr);
}

TEST_F(CallHeadReaderTest, KnowsTheQuestionsOfBrowsers) {
  const Fields question{{"origin", "https://app.example"}, {"access-control-request-method", "POST"}};
  const auto answer = [&](std::string_view method, const Fields& fields) {
    static_cast<void>(read(method, path, fields));
    return reader.preflight_origin(method);
  };
  EXPECT_EQ(answer("OPTIONS", question), nullptr);

  options.cors_origins = {"https://other.example", "https://app.example"};

  EXPECT_EQ(answer("OPTIONS", question), &options.cors_origins[1]);
  EXPECT_EQ(answer("POST", question), nullptr);
  EXPECT_EQ(answer("OPTIONS", {question[0]}), nullptr);
  EXPECT_EQ(answer("OPTIONS", {question[1]}), nullptr);
  EXPECT_EQ(answer("OPTIONS", {{"origin", "https://app.example.evil"}, question[1]}), nullptr);
}

TEST_F(CallHeadReaderTest, RefusesAPathThatNamesNoMethod) {
  for (const char* target : {"/", "*", "/%zz"}) {
    ASSERT_EQ(read("POST", target, {{"content-type", "application/json"}}), Outcome::refused) << target;
    EXPECT_EQ(reader.http_status(), 404u) << target;
    EXPECT_EQ(reader.status().code(), StatusCode::unimplemented) << target;
  }
}

TEST_F(CallHeadReaderTest, ForgetsTheRequestBefore) {
  ASSERT_EQ(post({{"content-type", "application/json"}, {"connect-timeout-ms", "1"}, {"content-encoding", "foo"}}),
            Outcome::refused);

  ASSERT_EQ(post({{"content-type", "application/json"}}), Outcome::call);

  EXPECT_EQ(head.timeout, std::nullopt);
  EXPECT_TRUE(reader.status().is_ok());
  EXPECT_EQ(reader.http_status(), 200u);
}

}  // namespace
}  // namespace trunkline::session::web
