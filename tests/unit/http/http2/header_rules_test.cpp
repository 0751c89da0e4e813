// SPDX-License-Identifier: MIT
// The rules for fields: names, values, pseudo-fields, and the order and completeness of blocks.
#include "http/http2/header_rules.h"
#include "http/hpack/decoder.h"
#include "unit/http/hex.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace trunkline::http::http2 {
namespace {

using Section = HeaderRules::Section;
using Block = std::vector<std::pair<std::string_view, std::string_view>>;

bool is_valid(Section section, const Block& block) {
  HeaderRules rules(section);
  for (const auto& [name, value] : block) {
    if (!rules.accept(classify_field(name, value))) return false;
  }
  return rules.is_complete();
}

const Block request{{":method", "POST"}, {":scheme", "http"}, {":path", "/a/b"}, {":authority", "host:80"}};

Block with(Block block, std::string_view name, std::string_view value) {
  block.emplace_back(name, value);
  return block;
}

Block without(Block block, std::string_view name) {
  std::erase_if(block, [name](const auto& field) { return field.first == name; });
  return block;
}

TEST(FieldKind, KnowsPseudoFields) {
  EXPECT_EQ(classify_field(":method", "GET"), FieldKind::method);
  EXPECT_EQ(classify_field(":method", "CONNECT"), FieldKind::connect_method);
  EXPECT_EQ(classify_field(":scheme", "https"), FieldKind::scheme);
  EXPECT_EQ(classify_field(":authority", "[::1]:80"), FieldKind::authority);
  EXPECT_EQ(classify_field(":path", "/"), FieldKind::path);
  EXPECT_EQ(classify_field(":path", "*"), FieldKind::path);
  EXPECT_EQ(classify_field(":status", "200"), FieldKind::status);
}

TEST(FieldKind, RefusesOtherPseudoFields) {
  for (const char* name : {":", ":protocol", ":Path", ":paths", ":pat", "::path"}) {
    EXPECT_EQ(classify_field(name, "/"), FieldKind::malformed) << name;
  }
}

TEST(FieldKind, RefusesPseudoFieldsWithWrongValues) {
  const Block wrong{{":method", ""},         {":method", "GE T"}, {":scheme", ""},       {":scheme", "1http"},
                    {":scheme", "ht tp"},    {":authority", ""},  {":authority", "a b"}, {":authority", "me@host"},
                    {":authority", "a\x80"}, {":path", ""},       {":path", "a"},        {":path", "**"},
                    {":path", "/a b"},       {":path", "/a\tb"},  {":path", "/a\x7F"},   {":status", ""},
                    {":status", "20"},       {":status", "2000"}, {":status", "2x0"},    {":status", "099"},
                    {":status", "101"},      {":status", " 200"}};
  for (const auto& [name, value] : wrong) {
    EXPECT_EQ(classify_field(name, value), FieldKind::malformed) << name << " " << value;
  }
}

TEST(FieldKind, AllowsTokensInLowerCaseAsNames) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::string name{'a', static_cast<char>(byte), 'b'};
    const bool is_letter_or_digit = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
    const bool is_mark =
        byte != 0 && std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(byte)) != std::string_view::npos;

    EXPECT_EQ(classify_field(name, "v"), is_letter_or_digit || is_mark ? FieldKind::regular : FieldKind::malformed)
        << byte;
  }
  EXPECT_EQ(classify_field("", "v"), FieldKind::malformed);
}

TEST(FieldKind, AllowsVisibleTextSpacesAndTabsInValues) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::string inside{'a', static_cast<char>(byte), 'b'};
    const std::string alone(1, static_cast<char>(byte));
    const bool is_blank = byte == ' ' || byte == '\t';
    const bool is_allowed = is_blank || (byte > 0x20 && byte != 0x7F);

    EXPECT_EQ(classify_field("name", inside), is_allowed ? FieldKind::regular : FieldKind::malformed) << byte;
    const FieldKind at_end = is_allowed ? FieldKind::regular : FieldKind::malformed;
    EXPECT_EQ(classify_field("name", alone), at_end) << byte;
    EXPECT_EQ(classify_field("name", alone + "a"), at_end) << byte;
    EXPECT_EQ(classify_field("name", "a" + alone), at_end) << byte;
  }
  EXPECT_EQ(classify_field("name", ""), FieldKind::regular);
}

TEST(FieldKind, RefusesFieldsOfAnHttp1Connection) {
  for (const char* name : {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"}) {
    EXPECT_EQ(classify_field(name, "close"), FieldKind::malformed) << name;
  }
  EXPECT_EQ(classify_field("te", "trailers"), FieldKind::regular);
  EXPECT_EQ(classify_field("te", " trailers "), FieldKind::regular);
  EXPECT_EQ(classify_field("te", "trailers, deflate"), FieldKind::malformed);
  EXPECT_EQ(classify_field("te", ""), FieldKind::malformed);
  EXPECT_EQ(classify_field("content-length", "0123"), FieldKind::regular);
  EXPECT_EQ(classify_field("content-length", " 12"), FieldKind::regular);
  EXPECT_EQ(classify_field("content-length", "1 2"), FieldKind::malformed);
  EXPECT_EQ(classify_field("content-length", ""), FieldKind::malformed);
  EXPECT_EQ(classify_field("content-length", "-1"), FieldKind::malformed);
}

TEST(HeaderRules, AcceptsCompleteRequests) {
  EXPECT_TRUE(is_valid(Section::request, request));
  EXPECT_TRUE(is_valid(Section::request, without(request, ":authority")));
  EXPECT_TRUE(is_valid(Section::request, with(with(request, "a", "1"), "a", "2")));
}

TEST(HeaderRules, RefusesRequestsWithoutAPseudoField) {
  for (const char* name : {":method", ":scheme", ":path"}) {
    EXPECT_FALSE(is_valid(Section::request, without(request, name))) << name;
  }
  EXPECT_FALSE(is_valid(Section::request, {}));
}

TEST(HeaderRules, RefusesAPseudoFieldTwice) {
  for (const auto& [name, value] : request)
    EXPECT_FALSE(is_valid(Section::request, with(request, name, value))) << name;
  EXPECT_FALSE(is_valid(Section::request, with(request, ":method", "CONNECT")));
  EXPECT_FALSE(is_valid(Section::response, {{":status", "200"}, {":status", "200"}}));
}

TEST(HeaderRules, RefusesPseudoFieldsBehindOthers) {
  Block late = with(without(request, ":path"), "a", "1");

  EXPECT_FALSE(is_valid(Section::request, with(late, ":path", "/")));
  EXPECT_FALSE(is_valid(Section::response, {{"a", "1"}, {":status", "200"}}));
}

TEST(HeaderRules, RefusesPseudoFieldsOfTheOtherDirection) {
  EXPECT_FALSE(is_valid(Section::request, with(request, ":status", "200")));
  for (const auto& [name, value] : request) {
    EXPECT_FALSE(is_valid(Section::response, {{":status", "200"}, {name, value}})) << name;
  }
}

TEST(HeaderRules, RequiresTheStatusOfResponses) {
  EXPECT_TRUE(is_valid(Section::response, {{":status", "200"}, {"a", "1"}}));
  EXPECT_FALSE(is_valid(Section::response, {{"a", "1"}}));
}

TEST(HeaderRules, AllowsNoPseudoFieldInTrailers) {
  EXPECT_TRUE(is_valid(Section::trailers, {}));
  EXPECT_TRUE(is_valid(Section::trailers, {{"a", "1"}}));
  EXPECT_FALSE(is_valid(Section::trailers, {{":status", "200"}}));
  EXPECT_FALSE(is_valid(Section::trailers, {{":path", "/"}}));
}

TEST(HeaderRules, KnowsWhatConnectRequires) {
  const Block connect{{":method", "CONNECT"}, {":authority", "host:80"}};

  EXPECT_TRUE(is_valid(Section::request, connect));
  EXPECT_FALSE(is_valid(Section::request, without(connect, ":authority")));
  EXPECT_FALSE(is_valid(Section::request, with(connect, ":path", "/")));
  EXPECT_FALSE(is_valid(Section::request, with(connect, ":scheme", "http")));
}

TEST(HeaderRules, RefusesWhatNobodyHasClassified) {
  for (const Section section : {Section::request, Section::response, Section::trailers}) {
    EXPECT_FALSE(HeaderRules(section).accept(FieldKind{}));
  }
}

TEST(HeaderRules, UsesWhatTheTableKeeps) {
  static int classified = 0;
  const hpack::NameIds ids({}, [](std::string_view name, std::string_view value) noexcept {
    ++classified;
    return classify_for_table(name, value);
  });
  hpack::Decoder decoder(ids);
  const auto accepts = [&decoder](std::string_view hex) {
    const std::vector<std::byte> block = from_hex(hex);
    decoder.begin(block);
    HeaderRules rules(Section::request);
    hpack::Field field;
    while (decoder.next(field) == hpack::Decoder::Step::field) {
      if (!rules.accept(static_cast<FieldKind>(field.kind))) return false;
    }
    return rules.is_complete();
  };
  classified = 0;

  EXPECT_TRUE(accepts("838684 40016101 62"));
  EXPECT_TRUE(accepts("838684 be"));
  EXPECT_FALSE(accepts("838684 40014101 62"));  // the name A
  EXPECT_FALSE(accepts("838684 be"));
  EXPECT_EQ(classified, 2);
}

}  // namespace
}  // namespace trunkline::http::http2
