// SPDX-License-Identifier: MIT
// Tests of what protobuf's JSON mapping accepts and refuses; its conformance suite has more.
#include <trunkline/protobuf.h>

#include <unit/codec/coding.h>

#include <gtest/gtest.h>

#include <google/protobuf/util/message_differencer.h>

#include <json_forms.pb.h>
#include <required.pb.h>

#include <string>

namespace trunkline::test {
namespace {

/// The message in JSON again, or "! " and the reason.
std::string reread(std::string_view json) {
  Forms message;
  const Status status = decode("json", json, message);
  if (status.is_ok()) return encoded("json", message);
  std::string_view reason = status.message();
  for (const std::string_view start : {"decode json: ", "field "}) {
    if (reason.starts_with(start)) reason.remove_prefix(start.size());
  }
  return "! " + std::string(reason);
}

constexpr std::string_view wrong = " of trunkline.test.Forms: value does not match its type";
constexpr std::string_view twice = " of trunkline.test.Forms: it comes twice";

std::string refused(std::string_view field, std::string_view reason) {
  return std::string("! ").append(field).append(reason);
}

TEST(ProtobufJsonReader, TakesNumbersInAnySpelling) {
  EXPECT_EQ(reread(R"({"int32":"12","uint64":"18446744073709551615","sint64":-1e2,"fixed32":1.0})"),
            R"({"int32":12,"uint64":"18446744073709551615","sint64":"-100","fixed32":1})");
  EXPECT_EQ(reread(R"({"float":"1.5","double":"-Infinity","floats":["NaN",1e-60,"Infinity"]})"),
            R"({"float":1.5,"double":"-Infinity","floats":["NaN",0,"Infinity"]})");
}

TEST(ProtobufJsonReader, RefusesNumbersThatDoNotFit) {
  for (const std::string_view value :
       {"2147483648", "1.5", "\"1 \"", "\" 1\"", "\"\"", "true", "\"0x1\"", "[1]", "\"+1\""}) {
    EXPECT_EQ(reread("{\"int32\":" + std::string(value) + "}"), refused("int32", wrong)) << value;
  }
  for (const std::string_view value : {"1e400", "\"inf\"", "\"nan\"", "\"1 \"", "true", "{}"}) {
    EXPECT_EQ(reread("{\"double\":" + std::string(value) + "}"), refused("double", wrong)) << value;
  }
  EXPECT_EQ(reread(R"({"float":1e39})"), refused("float", wrong));
  EXPECT_EQ(reread(R"({"uint32":-1})"), refused("uint32", wrong));
}

TEST(ProtobufJsonReader, RefusesOtherKinds) {
  EXPECT_EQ(reread(R"({"bool":"true"})"), refused("bool", wrong));
  EXPECT_EQ(reread(R"({"bool":1})"), refused("bool", wrong));
  EXPECT_EQ(reread(R"({"string":1})"), refused("string", wrong));
  EXPECT_EQ(reread(R"({"strings":"a"})"), refused("strings", wrong));
  EXPECT_EQ(reread(R"({"strings":["a",null]})"), refused("strings[1]", wrong));
  EXPECT_EQ(reread(R"({"forms":[]})"), refused("forms", wrong));
  EXPECT_EQ(reread(R"({"moreForms":[{},{"int32s":[1,{}]}]})"), refused("moreForms[1].int32s[1]", wrong));
}

TEST(ProtobufJsonReader, TakesEitherAlphabetOfBase64) {
  EXPECT_EQ(reread(R"({"bytes":"-_8=","someBytes":["+/8","AQ==","AQ"]})"),
            R"({"bytes":"+/8=","someBytes":["+/8=","AQ==","AQ=="]})");
  EXPECT_EQ(reread(R"({"bytes":"A"})"), refused("bytes", wrong));
  EXPECT_EQ(reread(R"({"bytes":"A%"})"), refused("bytes", wrong));
}

TEST(ProtobufJsonReader, TakesEnumsByNameAndNumber) {
  EXPECT_EQ(reread(R"({"colour":"RED","colours":[2,"GREEN",0,77]})"),
            R"({"colour":"RED","colours":["GREEN","GREEN","COLOUR_NONE",77]})");
  EXPECT_EQ(reread(R"({"colour":"red"})"), refused("colour", wrong));
  EXPECT_EQ(reread(R"({"colour":1.5})"), refused("colour", wrong));
}

TEST(ProtobufJsonReader, TakesNullForTheAbsenceOfAField) {
  EXPECT_EQ(reread(R"({"int32":null,"strings":null,"forms":null,"int32Map":null,"choiceInt32":null,"timestamp":null})"),
            "{}");
  EXPECT_EQ(reread(R"({"choiceInt32":null,"choiceString":"x"})"), R"({"choiceString":"x"})");
  EXPECT_EQ(reread(R"({"value":null,"values":[null],"choiceNull":null})"),
            R"({"choiceNull":null,"value":null,"values":[null]})");
  EXPECT_EQ(reread(R"({"int32":nul})"), "! byte 13 of 13: syntax error");
}

TEST(ProtobufJsonReader, RefusesFieldsThatComeTwice) {
  EXPECT_EQ(reread(R"({"int32":0,"int32":0})"), refused("int32", twice));
  EXPECT_EQ(reread(R"({"optionalInt32":1,"optional_int32":1})"), refused("optionalInt32", twice));
  EXPECT_EQ(reread(R"({"valueMap":{},"valueMap":{}})"), refused("valueMap", twice));
  EXPECT_EQ(reread(R"({"choiceInt32":0,"choiceString":""})"), refused("choiceString", twice));
}

TEST(ProtobufJsonReader, ReadsMaps) {
  for (const std::string_view json :
       {R"({"int32Map":{"-1":2},"int64Map":{"9":"x"}})", R"({"uint32Map":{"7":"AQ=="},"uint64Map":{"1":1.5}})",
        R"({"boolMap":{"true":"RED"},"stringMap":{"k":{"int32":1}}})"}) {
    EXPECT_EQ(reread(json), json);
  }
  EXPECT_EQ(reread(R"({"stringMap":{"k":{},"l":{},"k":{}}})"), refused("stringMap[2]", twice));
  EXPECT_EQ(reread(R"({"int32Map":{"1":1,"1.0":2}})"), refused("int32Map[1]", twice));
  EXPECT_EQ(reread(R"({"int32Map":{"x":1}})"), refused("int32Map[0]", wrong));
  EXPECT_EQ(reread(R"({"int32Map":{"1":1,"2":null}})"), refused("int32Map[1]", wrong));
  EXPECT_EQ(reread(R"({"boolMap":{"True":1}})"), refused("boolMap[0]", wrong));
  EXPECT_EQ(reread(R"({"uint64Map":{"-1":1}})"), refused("uint64Map[0]", wrong));
}

TEST(ProtobufJsonReader, ReadsWellKnownTypes) {
  for (const std::string_view json :
       {R"({"timestamp":"1972-01-01T10:00:20.021Z","duration":"-1.500s","fieldMask":"aB,c.d"})",
        R"({"boolValue":false,"int32Value":0,"int64Value":"5","stringValue":"","bytesValue":"AQ=="})",
        R"({"struct":{"a":[1,"x",null,{"b":true}]}})", R"({"value":{"a":1.5}})", R"({"value":[[]]})",
        R"({"value":"x"})", R"({"listValue":[1,[],{}]})", R"({"empty":{}})", R"({"fieldMask":""})"}) {
    EXPECT_EQ(reread(json), json);
  }
  EXPECT_EQ(reread(R"({"timestamp":"yesterday"})"), refused("timestamp", wrong));
  EXPECT_EQ(reread(R"({"duration":1})"), refused("duration", wrong));
  EXPECT_EQ(reread(R"({"fieldMask":"a_b"})"), refused("fieldMask", wrong));
  EXPECT_EQ(reread(R"({"struct":[]})"), refused("struct", wrong));
  EXPECT_EQ(reread(R"({"listValue":{}})"), refused("listValue", wrong));
  EXPECT_EQ(reread(R"({"empty":{"x":1}})"), "! unknown field empty.x in trunkline.test.Forms");
  EXPECT_EQ(reread(R"({"int64Values":["1",null]})"), refused("int64Values[1]", wrong));
}

TEST(ProtobufJsonReader, ReadsAnys) {
  constexpr std::string_view forms = R"({"any":{"@type":"type.googleapis.com/trunkline.test.Forms","int32":3}})";
  EXPECT_EQ(reread(forms), forms);
  EXPECT_EQ(reread(R"({"any":{"int32":3,"@type":"type.googleapis.com/trunkline.test.Forms"}})"), forms);
  constexpr std::string_view duration =
      R"({"any":{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s"}})";
  EXPECT_EQ(reread(duration), duration);
  constexpr std::string_view nested =
      R"({"any":{"@type":"x/google.protobuf.Any","value":{"@type":"x/google.protobuf.BoolValue","value":true}}})";
  EXPECT_EQ(reread(nested), nested);
  EXPECT_EQ(reread(R"({"any":{}})"), R"({"any":{}})");
  for (const std::string_view any :
       {R"({"int32":3})", R"({"@type":""})", R"({"@type":1})", R"({"@type":"trunkline.test.Forms"})",
        R"({"@type":"x/no.Such"})", R"({"@type":"x/google.protobuf.Duration"})", "[]", "1"}) {
    EXPECT_EQ(reread("{\"any\":" + std::string(any) + "}"), refused("any", wrong)) << any;
  }
  EXPECT_EQ(reread(R"({"any":{"@type":"x/trunkline.test.Forms","no":1}})"),
            "! unknown field any.no in trunkline.test.Forms");
  EXPECT_EQ(reread(R"({"any":{"@type":"x/google.protobuf.Duration","value":"1s","no":1}})"),
            "! unknown field any.no in trunkline.test.Forms");
}

TEST(ProtobufJsonReader, LimitsNestingOfEveryKind) {
  const auto nested = [](std::string_view begin, std::string_view middle, std::string_view end, int count) {
    std::string json;
    for (int i = 0; i < count; ++i) json += begin;
    json += middle;
    for (int i = 0; i < count; ++i) json += end;
    return json;
  };
  EXPECT_EQ(reread(nested("{\"forms\":", "{}", "}", 99)).substr(0, 10), R"({"forms":{)");
  EXPECT_EQ(reread(nested("{\"forms\":", "{}", "}", 100)), "! nesting exceeds 100 levels");
  EXPECT_EQ(reread("{\"value\":" + nested("[", "", "]", 1000) + "}"), "! nesting exceeds 100 levels");
  EXPECT_EQ(reread("{\"struct\":" + nested("{\"a\":", "1", "}", 1000) + "}"), "! nesting exceeds 100 levels");
  const std::string any = R"({"@type":"x/google.protobuf.Any","value":)";
  EXPECT_EQ(reread("{\"any\":" + nested(any, "{}", "}", 1000) + "}"), "! nesting exceeds 100 levels");
  EXPECT_EQ(reread("{\"any\":" + nested("{\"a\":", "1", "}", 100'000) + "}").substr(0, 2), "! ");
}

TEST(ProtobufJsonReader, IsStrictAboutSyntax) {
  for (const std::string_view json :
       {"", " ", "{", "{}}", "{\"int32\":1,}", "{int32:1}", "{'int32':1}", "{\"int32\":1 \"int64\":1}", "{\"int32\" 1}",
        "{\"int32s\":[1,]}", "{\"int32s\":[1}", "{\"int32\":01}", "{\"string\":\"\n\"}", "{\"string\":\"\\ud800\"}",
        "{}//", "{\"int32\":1}x"}) {
    EXPECT_EQ(reread(json).substr(0, 7), "! byte ") << json;
  }
  EXPECT_EQ(reread("null"), "! payload is not a valid trunkline.test.Forms");
  EXPECT_EQ(reread("3"), "! payload is not a valid trunkline.test.Forms");
}

TEST(ProtobufJsonReader, ReadsGroupsAndExtensions) {
  Extensible message;
  constexpr std::string_view json =
      R"({"id":1,"part":{"size":2},"[trunkline.test.nickname]":"n","[trunkline.test.marks]":[3,4]})";

  EXPECT_EQ(decode_text("json", json, message), "ok");

  EXPECT_EQ(message.GetExtension(nickname), "n");
  EXPECT_EQ(encoded("json", message), json);
  EXPECT_EQ(decode_text("json", R"({"[trunkline.test.none]":1})", message),
            "invalid_argument: decode json: unknown field [trunkline.test.none] in trunkline.test.Extensible");
  EXPECT_EQ(
      decode_text("json", R"({"[trunkline.test.nickname]":"a","[trunkline.test.nickname]":"b"})", message),
      "invalid_argument: decode json: field trunkline.test.nickname of trunkline.test.Extensible: it comes twice");
  EXPECT_NE(decode_text("json", R"({"nickname":"a"})", message), "ok");
}

}  // namespace
}  // namespace trunkline::test
