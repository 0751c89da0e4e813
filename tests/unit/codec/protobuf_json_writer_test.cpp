// SPDX-License-Identifier: MIT
// Tests of the forms that protobuf's JSON mapping writes, with protobuf's own converter as the judge.
#include <trunkline/protobuf.h>

#include <unit/codec/coding.h>

#include <gtest/gtest.h>

#include <google/protobuf/util/json_util.h>

#include <json_forms.pb.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <random>
#include <string>

namespace trunkline::test {
namespace {

namespace util = google::protobuf::util;

constexpr std::string_view failure = "! internal: encode json: trunkline.test.Forms: ";

TEST(ProtobufJsonWriter, EscapesNamesAndTexts) {
  Forms message;
  message.set_renamed("\x01\"\\\n/<\x7F");

  EXPECT_EQ(encoded("json", message), "{\"a \\\"name\\\"\":\"\\u0001\\\"\\\\\\n/<\x7F\"}");
}

TEST(ProtobufJsonWriter, WritesWhatHasPresence) {
  Forms message;
  message.set_optional_int32(0);
  message.set_choice_string("");
  message.mutable_forms();
  message.mutable_int32_value();

  EXPECT_EQ(encoded("json", message), R"({"optionalInt32":0,"forms":{},"choiceString":"","int32Value":0})");
}

TEST(ProtobufJsonWriter, WritesNumbersWithTheFewestDigits) {
  Forms message;
  message.set_float_(0.1F);
  message.set_double_(0.1);
  message.add_doubles(1e300);
  message.add_doubles(-std::numeric_limits<double>::infinity());
  message.add_doubles(std::nan(""));
  message.add_int64s(std::numeric_limits<std::int64_t>::min());

  EXPECT_EQ(encoded("json", message),
            R"({"float":0.1,"double":0.1,"int64s":["-9223372036854775808"],"doubles":[1e+300,"-Infinity","NaN"]})");
}

TEST(ProtobufJsonWriter, NamesWhatHasNoForm) {
  Forms text;
  text.mutable_forms()->add_strings("a");
  text.mutable_forms()->add_strings("\xFF");
  EXPECT_EQ(encoded("json", text), std::string(failure) + "field forms.strings[1]: the text is not UTF-8");

  Forms time;
  time.mutable_timestamp()->set_nanos(-1);
  EXPECT_EQ(encoded("json", time), std::string(failure) + "field timestamp: the time is invalid");

  Forms mask;
  mask.mutable_field_mask()->add_paths("fooBar");
  EXPECT_EQ(encoded("json", mask), std::string(failure) + "field field_mask: a path of a FieldMask has no JSON form");

  Forms any;
  any.mutable_any()->set_type_url("type.googleapis.com/no.Such");
  EXPECT_EQ(encoded("json", any), std::string(failure) + "field any: the type of an Any is unknown");
  any.mutable_any()->set_type_url("type.googleapis.com/trunkline.test.Forms");
  any.mutable_any()->set_value("\xFF");
  EXPECT_EQ(encoded("json", any), std::string(failure) + "field any: an Any does not hold what it says");

  Forms value;
  value.add_values();
  EXPECT_EQ(encoded("json", value), std::string(failure) + "field values[0]: a Value holds nothing");
  value.mutable_values(0)->set_number_value(std::nan(""));
  EXPECT_EQ(encoded("json", value), std::string(failure) + "field values[0]: a Value holds no finite number");
}

TEST(ProtobufJsonWriter, LimitsNesting) {
  Forms message;
  Forms* innermost = &message;
  for (int i = 0; i < 99; ++i) innermost = innermost->mutable_forms();
  EXPECT_EQ(encoded("json", message).substr(0, 1), "{");

  innermost->mutable_forms();

  EXPECT_TRUE(encoded("json", message).ends_with(": nesting exceeds 100 levels"));
}

TEST(ProtobufJsonWriter, AppendsNothingAfterAnError) {
  BufferWriter out;
  out.append("before");
  Forms message;
  message.set_string("\xFF");

  EXPECT_FALSE(codec("json").encode(MessageView::of(message), out).is_ok());

  EXPECT_EQ(as_text(out.bytes()), "before");
}

/// Messages with random fields, by reflection.
class RandomMessages {
 public:
  explicit RandomMessages(std::uint64_t seed) : engine_(seed) {}

  void fill(google::protobuf::Message& message, int depth) {
    const auto& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const auto& field = *type.field(i);
      if (below(3) != 0) continue;
      if (field.is_map()) continue;
      if (field.cpp_type() == Field::CPPTYPE_MESSAGE && depth == 0) continue;
      const int count = field.is_repeated() ? static_cast<int>(below(4)) : 1;
      for (int j = 0; j < count; ++j) set(message, field, depth);
    }
  }
  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }

 private:
  using Field = google::protobuf::FieldDescriptor;

  std::string text() {
    static constexpr std::string_view pieces[] = {"a", "\"",         "\\",   "\n",  "\xC3\xA9", "\xF0\x9F\x98\x80",
                                                  "/", "plain text", "\x01", "\x7F"};
    std::string made;
    for (std::uint64_t i = below(6); i > 0; --i) made += pieces[below(std::size(pieces))];
    return made;
  }
  std::uint64_t bits() { return engine_() >> below(64); }

  void set(google::protobuf::Message& message, const Field& field, int depth) {
    const auto& access = *message.GetReflection();
    const bool adds = field.is_repeated();
    const auto store = [&](auto value, auto single, auto add) {
      if (adds) {
        (access.*add)(&message, &field, value);
      } else {
        (access.*single)(&message, &field, value);
      }
    };
    using R = google::protobuf::Reflection;
    switch (field.cpp_type()) {
      case Field::CPPTYPE_INT32:
        return store(static_cast<std::int32_t>(bits()), &R::SetInt32, &R::AddInt32);
      case Field::CPPTYPE_INT64:
        return store(static_cast<std::int64_t>(bits()), &R::SetInt64, &R::AddInt64);
      case Field::CPPTYPE_UINT32:
        return store(static_cast<std::uint32_t>(bits()), &R::SetUInt32, &R::AddUInt32);
      case Field::CPPTYPE_UINT64:
        return store(bits(), &R::SetUInt64, &R::AddUInt64);
      case Field::CPPTYPE_DOUBLE:
        return store(static_cast<double>(static_cast<std::int64_t>(bits())) / 1024.0, &R::SetDouble, &R::AddDouble);
      case Field::CPPTYPE_FLOAT:
        return store(static_cast<float>(static_cast<std::int32_t>(bits())) / 64.0F, &R::SetFloat, &R::AddFloat);
      case Field::CPPTYPE_BOOL:
        return store(below(2) == 0, &R::SetBool, &R::AddBool);
      case Field::CPPTYPE_ENUM:
        return store(static_cast<int>(field.enum_type()->value_count() == 1 ? 0 : below(4)), &R::SetEnumValue,
                     &R::AddEnumValue);
      case Field::CPPTYPE_STRING:
        return store(text(), &R::SetString, &R::AddString);
      case Field::CPPTYPE_MESSAGE:
        return fill_message(adds ? *access.AddMessage(&message, &field) : *access.MutableMessage(&message, &field),
                            depth - 1);
    }
  }

  void fill_message(google::protobuf::Message& message, int depth) {
    using google::protobuf::Descriptor;
    const auto set_field = [&](int number, auto value, auto set) {
      (message.GetReflection()->*set)(&message, message.GetDescriptor()->FindFieldByNumber(number), value);
    };
    using R = google::protobuf::Reflection;
    switch (message.GetDescriptor()->well_known_type()) {
      case Descriptor::WELLKNOWNTYPE_TIMESTAMP:
        set_field(1, static_cast<std::int64_t>(below(1ULL << 36)) - (1LL << 35), &R::SetInt64);
        return set_field(2, static_cast<std::int32_t>(below(1'000'000'000)), &R::SetInt32);
      case Descriptor::WELLKNOWNTYPE_DURATION:
        set_field(1, static_cast<std::int64_t>(below(315'576'000'000)), &R::SetInt64);
        return set_field(2, static_cast<std::int32_t>(below(1'000'000'000)), &R::SetInt32);
      case Descriptor::WELLKNOWNTYPE_FIELDMASK:
        return message.GetReflection()->AddString(&message, message.GetDescriptor()->FindFieldByNumber(1),
                                                  "foo_bar.baz");
      case Descriptor::WELLKNOWNTYPE_VALUE:
        return set_field(2, 1.5, &R::SetDouble);
      case Descriptor::WELLKNOWNTYPE_LISTVALUE:
      case Descriptor::WELLKNOWNTYPE_STRUCT:
      case Descriptor::WELLKNOWNTYPE_ANY:
        return;
      default:
        return fill(message, depth);
    }
  }

  std::mt19937_64 engine_;
};

TEST(ProtobufJsonWriter, AgreesWithProtobufsConverterBothWays) {
  const char* const given = std::getenv("TRUNKLINE_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "TRUNKLINE_SEED=" << seed << std::endl;
  RandomMessages random(seed);
  for (int i = 0; i < 300; ++i) {
    Forms message;
    random.fill(message, 3);
    const std::string binary = message.SerializeAsString();

    const std::string json = encoded("json", message);
    Forms by_protobuf;
    ASSERT_TRUE(util::JsonStringToMessage(json, &by_protobuf).ok()) << json;
    EXPECT_EQ(by_protobuf.SerializeAsString(), binary) << json;

    std::string theirs;
    ASSERT_TRUE(util::MessageToJsonString(message, &theirs).ok());
    Forms by_us;
    ASSERT_EQ(decode_text("json", theirs, by_us), "ok") << theirs;
    EXPECT_EQ(by_us.SerializeAsString(), binary) << theirs;
  }
}

}  // namespace
}  // namespace trunkline::test
