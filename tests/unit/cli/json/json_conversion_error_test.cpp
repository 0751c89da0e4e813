// SPDX-License-Identifier: MIT
// Reasons, field by field, on a type made for it.
#include "cli/json/json_conversion_error.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/compiler/parser.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/wrappers.pb.h>
#include <gtest/gtest.h>

namespace trunkline::cli::json {
namespace {

constexpr const char* definition = R"(
  syntax = "proto3";
  package shop;
  import "google/protobuf/any.proto";
  import "google/protobuf/duration.proto";
  import "google/protobuf/struct.proto";
  import "google/protobuf/wrappers.proto";
  message Item { string name = 1; int32 item_count = 2; }
  enum Color { RED = 0; GREEN = 1; }
  message Order {
    repeated Item items = 1;
    map<int32, bool> flags = 2;
    Color color = 3;
    bytes photo = 4;
    double price = 5;
    google.protobuf.Duration wait = 6;
    google.protobuf.Int64Value limit = 7;
    google.protobuf.Struct extra = 8;
    google.protobuf.Any any = 9;
    oneof payment { string card = 10; bool cash = 11; }
    Order next = 12;
    uint64 number = 13;
  }
)";

class JsonConversionError : public testing::Test {
 protected:
  JsonConversionError() : pool_(google::protobuf::DescriptorPool::generated_pool()) {
    // So that their files are in the pool.
    (void)google::protobuf::Any::descriptor(), (void)google::protobuf::Duration::descriptor();
    (void)google::protobuf::Struct::descriptor(), (void)google::protobuf::Int64Value::descriptor();
    google::protobuf::io::ArrayInputStream stream(definition, static_cast<int>(std::string_view(definition).size()));
    google::protobuf::io::Tokenizer tokenizer(&stream, nullptr);
    google::protobuf::FileDescriptorProto file;
    file.set_name("shop.proto");
    EXPECT_TRUE(google::protobuf::compiler::Parser().Parse(&tokenizer, &file));
    type_ = pool_.BuildFile(file)->FindMessageTypeByName("Order");
  }
  std::string error_of(const char* json) const { return explain_conversion_error(nlohmann::json::parse(json), *type_); }

 private:
  google::protobuf::DescriptorPool pool_;
  const google::protobuf::Descriptor* type_ = nullptr;
};

TEST_F(JsonConversionError, IsEmptyIfTheValueMatches) {
  EXPECT_EQ(error_of(R"({"items": [{"name": "x", "itemCount": 3}, {"item_count": "4"}], "flags": {"1": true},
                       "color": "GREEN", "photo": "AAEC", "price": "NaN", "wait": null, "limit": "5",
                       "extra": {"a": [1]}, "cash": true, "number": 18446744073709551615})"),
            "");
  EXPECT_EQ(error_of("{}"), "");
}

TEST_F(JsonConversionError, NamesTheFieldAndWhatItTakes) {
  EXPECT_EQ(error_of(R"({"items": [{}, {"itemCount": "many"}]})"),
            "field 'items[1].itemCount': expected a number from -2147483648 to 2147483647, found text");
  EXPECT_EQ(error_of(R"({"items": {}})"), "field 'items': expected an array, found an object");
  EXPECT_EQ(error_of(R"({"items": [5]})"), "field 'items[0]': expected an object (shop.Item), found the number 5");
  EXPECT_EQ(error_of(R"({"items": [{"name": true}]})"), "field 'items[0].name': expected text, found true");
  EXPECT_EQ(error_of(R"({"photo": "*"})"), "field 'photo': expected base64 text, found text");
  EXPECT_EQ(error_of(R"({"price": []})"), "field 'price': expected a number, found an array");
  EXPECT_EQ(error_of(R"({"number": -1})"),
            "field 'number': expected a number from 0 to 18446744073709551615, found the number -1");
  EXPECT_EQ(error_of("[]"), "the request: expected an object (shop.Order), found an array");
}

TEST_F(JsonConversionError, SuggestsNamesThatAreNear) {
  EXPECT_EQ(error_of(R"({"itmes": []})"), "unknown field 'itmes' of shop.Order; did you mean 'items'?");
  EXPECT_EQ(error_of(R"({"items": [{"zzz": 1}]})"),
            "unknown field 'items[0].zzz' of shop.Item; it has: name, itemCount");
  EXPECT_EQ(error_of(R"({"color": "GREN"})"), "field 'color': 'GREN' is not one of RED, GREEN; did you mean 'GREEN'?");
}

TEST_F(JsonConversionError, KnowsMapsAndOneofs) {
  EXPECT_EQ(error_of(R"({"flags": {"x": true}})"), "field 'flags[\"x\"]': the key is not a number in range");
  EXPECT_EQ(error_of(R"({"flags": {"1": 2}})"), "field 'flags[\"1\"]': expected true or false, found the number 2");
  EXPECT_EQ(error_of(R"({"card": "1", "cash": true})"), "field 'cash': another field of the oneof payment is set");
}

TEST_F(JsonConversionError, KnowsTheWellKnownTypes) {
  EXPECT_EQ(error_of(R"({"wait": 5})"), "field 'wait': expected a duration such as \"1.5s\", found the number 5");
  EXPECT_EQ(error_of(R"({"limit": true})"),
            "field 'limit': expected a number from -9223372036854775808 to 9223372036854775807, found true");
  EXPECT_EQ(error_of(R"({"extra": []})"), "field 'extra': expected an object, found an array");
  EXPECT_EQ(error_of(R"({"any": {}})"),
            "field 'any': \"@type\" is missing, such as \"type.googleapis.com/package.Message\"");
  EXPECT_EQ(error_of(R"({"any": {"@type": "type.googleapis.com/shop.Itm"}})"),
            "field 'any.@type': unknown type 'shop.Itm'");
  EXPECT_EQ(error_of(R"({"any": {"@type": "type.googleapis.com/shop.Item", "name": 1}})"),
            "field 'any.name': expected text, found the number 1");
}

TEST_F(JsonConversionError, DeepNestingEnds) {
  std::string json;
  for (int i = 0; i < 200; ++i) json += "{\"next\":";
  json += "{}" + std::string(200, '}');

  EXPECT_TRUE(error_of(json.c_str()).ends_with(": nesting exceeds 100 levels"));
}

}  // namespace
}  // namespace trunkline::cli::json
