// SPDX-License-Identifier: MIT
// Plain types as messages: fields of each kind, names that clash, and facts that descriptors cannot express.
#include "service/derived_file.h"

#include "trunkline/v1/options.pb.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace trunkline::service {

namespace {

namespace protobuf = google::protobuf;

const TypeDescription& boolean() {
  static const TypeDescription type{.kind = TypeKind::boolean};
  return type;
}
template <int bits, bool is_signed>
const TypeDescription& integer() {
  static const TypeDescription type{.kind = TypeKind::integer, .bits = bits, .is_signed = is_signed};
  return type;
}
template <int bits>
const TypeDescription& floating() {
  static const TypeDescription type{.kind = TypeKind::floating, .bits = bits};
  return type;
}
template <TypeKind kind>
const TypeDescription& plain() {
  static const TypeDescription type{.kind = kind};
  return type;
}
template <TypeKind kind, TypeDescription::Reference element>
const TypeDescription& of() {
  static const TypeDescription type{.kind = kind, .element = element};
  return type;
}
constexpr auto text = plain<TypeKind::text>;
constexpr auto texts = of<TypeKind::list, text>;

const TypeDescription& tree() {
  static const TypeDescription type{
      .kind = TypeKind::structure,
      .name = "Tree",
      .fields = {{"label", text}, {"children", of<TypeKind::list, tree>}, {"parent", of<TypeKind::optional, tree>}}};
  return type;
}

const TypeDescription& everything() {
  static const TypeDescription type{.kind = TypeKind::structure,
                                    .name = "Everything",
                                    .fields = {{"flag", boolean},
                                               {"small", integer<8, true>},
                                               {"word", integer<32, false>},
                                               {"big", integer<64, true>},
                                               {"huge", integer<64, false>},
                                               {"ratio", floating<64>},
                                               {"thin", floating<32>},
                                               {"name", text},
                                               {"content", plain<TypeKind::bytes>},
                                               {"words", texts},
                                               {"rows", of<TypeKind::list, texts>},
                                               {"maybe", of<TypeKind::optional, text>},
                                               {"maybe_words", of<TypeKind::optional, texts>},
                                               {"count_by_name", of<TypeKind::map, integer<64, true>>},
                                               {"trees", of<TypeKind::map, tree>},
                                               {"rows_by_name", of<TypeKind::map, texts>},
                                               {"root", tree},
                                               {"anything", plain<TypeKind::any>}}};
  return type;
}

/// A structure of the same name as another.
const TypeDescription& other_tree() {
  static const TypeDescription type{.kind = TypeKind::structure, .name = "Tree", .fields = {{"height", floating<64>}}};
  return type;
}

template <TypeDescription::Reference describe_it>
const MessageType& message() {
  static const MessageType type{
      .kind = MessageKind::custom, .type = &typeid(int), .default_codec = "msgpack", .describe = describe_it};
  return type;
}

MethodInfo method(std::string name, const MessageType& request, const MessageType& response,
                  MethodKind kind = MethodKind::unary) {
  return {.name = std::move(name), .kind = kind, .request = &request, .response = &response};
}

class DerivedFileTest : public ::testing::Test {
 protected:
  DerivedFile make(std::string_view service, Detail detail = Detail::full) { return {service, detail, pool_, types_}; }
  /// Builds the file as a client of reflection does.
  const protobuf::FileDescriptor* build(const DerivedFile& derived) {
    const protobuf::FileDescriptor* built = pool_.BuildFile(derived.file());
    EXPECT_NE(built, nullptr) << derived.file().DebugString();
    return built;
  }
  static const protobuf::FieldDescriptor& field(const protobuf::Descriptor& message, const char* name) {
    return *message.FindFieldByName(name);
  }

  protobuf::DescriptorPool pool_{protobuf::DescriptorPool::generated_pool()};
  DerivedTypes types_;
};

TEST_F(DerivedFileTest, DescribesFieldsOfEachKind) {
  using Field = protobuf::FieldDescriptor;
  DerivedFile derived = make("acme.v1.Things");
  derived.add_method("Take", method("acme.v1.Things/Take", message<everything>(), MessageTraits<Empty>::type()));

  const protobuf::FileDescriptor* file = build(derived);

  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->name(), "trunkline/derived/acme.v1.Things.proto");
  const protobuf::Descriptor& all = *file->FindMessageTypeByName("Everything");
  EXPECT_EQ(all.full_name(), "acme.v1.Everything");
  EXPECT_EQ(field(all, "flag").type(), Field::TYPE_BOOL);
  EXPECT_EQ(field(all, "small").type(), Field::TYPE_INT32);
  EXPECT_EQ(field(all, "word").type(), Field::TYPE_UINT32);
  EXPECT_EQ(field(all, "big").type(), Field::TYPE_INT64);
  EXPECT_EQ(field(all, "huge").type(), Field::TYPE_UINT64);
  EXPECT_EQ(field(all, "ratio").type(), Field::TYPE_DOUBLE);
  EXPECT_EQ(field(all, "thin").type(), Field::TYPE_FLOAT);
  EXPECT_EQ(field(all, "name").type(), Field::TYPE_STRING);
  EXPECT_FALSE(field(all, "name").has_presence());
  EXPECT_EQ(field(all, "content").type(), Field::TYPE_BYTES);
  EXPECT_TRUE(field(all, "words").is_repeated());
  EXPECT_EQ(field(all, "rows").message_type()->full_name(), "google.protobuf.ListValue");
  EXPECT_TRUE(field(all, "rows").is_repeated());
  EXPECT_TRUE(field(all, "maybe").has_optional_keyword());
  EXPECT_TRUE(field(all, "maybe_words").is_repeated());
  EXPECT_TRUE(field(all, "count_by_name").is_map());
  EXPECT_EQ(field(all, "count_by_name").message_type()->map_value()->type(), Field::TYPE_INT64);
  EXPECT_EQ(field(all, "trees").message_type()->map_value()->message_type()->full_name(), "acme.v1.Tree");
  EXPECT_EQ(field(all, "rows_by_name").message_type()->map_value()->message_type()->full_name(),
            "google.protobuf.ListValue");
  EXPECT_EQ(field(all, "root").message_type()->full_name(), "acme.v1.Tree");
  EXPECT_EQ(field(all, "anything").message_type()->full_name(), "google.protobuf.Value");
  EXPECT_EQ(field(all, "count_by_name").json_name(), "count_by_name");
}

TEST_F(DerivedFileTest, DescribesRecursiveTypes) {
  DerivedFile derived = make("Trees");
  derived.add_method("Grow", method("Trees/Grow", message<tree>(), message<tree>()));

  const protobuf::FileDescriptor* file = build(derived);

  ASSERT_EQ(file->message_type_count(), 1);
  const protobuf::Descriptor& described = *file->message_type(0);
  EXPECT_EQ(field(described, "children").message_type(), &described);
  EXPECT_EQ(field(described, "parent").message_type(), &described);
  EXPECT_EQ(file->service(0)->full_name(), "Trees");
  EXPECT_EQ(file->service(0)->method(0)->input_type(), &described);
}

TEST_F(DerivedFileTest, WrapsTypesThatAreNotStructures) {
  DerivedFile derived = make("Plain");
  const auto add = [&](const char* name, const MessageType& request) {
    derived.add_method(name, method(std::string("Plain/") + name, request, MessageTraits<Empty>::type()));
  };
  add("Bool", message<boolean>());
  add("Int", message<integer<32, true>>());
  add("Long", message<integer<64, true>>());
  add("UInt", message<integer<16, false>>());
  add("ULong", message<integer<64, false>>());
  add("Float", message<floating<32>>());
  add("Double", message<floating<64>>());
  add("Text", message<text>());
  add("Bytes", message<plain<TypeKind::bytes>>());
  add("List", message<texts>());
  add("Map", message<of<TypeKind::map, text>>());
  add("Maybe", message<of<TypeKind::optional, text>>());
  add("Any", message<plain<TypeKind::any>>());
  add("None", MessageTraits<Empty>::type());
  add("Raw", MessageTraits<Slice>::type());
  add("String", MessageTraits<std::string>::type());

  const protobuf::ServiceDescriptor& service = *build(derived)->service(0);

  const auto type = [&](const char* name) { return service.FindMethodByName(name)->input_type()->full_name(); };
  EXPECT_EQ(type("Bool"), "google.protobuf.BoolValue");
  EXPECT_EQ(type("Int"), "google.protobuf.Int32Value");
  EXPECT_EQ(type("Long"), "google.protobuf.Int64Value");
  EXPECT_EQ(type("UInt"), "google.protobuf.UInt32Value");
  EXPECT_EQ(type("ULong"), "google.protobuf.UInt64Value");
  EXPECT_EQ(type("Float"), "google.protobuf.FloatValue");
  EXPECT_EQ(type("Double"), "google.protobuf.DoubleValue");
  EXPECT_EQ(type("Text"), "google.protobuf.StringValue");
  EXPECT_EQ(type("Bytes"), "google.protobuf.BytesValue");
  EXPECT_EQ(type("List"), "google.protobuf.ListValue");
  EXPECT_EQ(type("Map"), "google.protobuf.Struct");
  EXPECT_EQ(type("Maybe"), "google.protobuf.StringValue");
  EXPECT_EQ(type("Any"), "google.protobuf.Value");
  EXPECT_EQ(type("None"), "google.protobuf.Empty");
  EXPECT_EQ(type("Raw"), "google.protobuf.BytesValue");
  EXPECT_EQ(type("String"), "google.protobuf.StringValue");
}

TEST_F(DerivedFileTest, NamesPathAndCodecUnlessTheyAreTheDefaults) {
  DerivedFile derived = make("acme.Odd");
  derived.add_method("plain", method("acme.Odd/plain", MessageTraits<Empty>::type(), MessageTraits<Empty>::type()));
  derived.add_method("add-two", method("acme.Odd/add-two", message<tree>(), MessageTraits<Empty>::type()));
  derived.add_method("add_two", method("acme.Odd/add_two", MessageTraits<Empty>::type(), MessageTraits<Slice>::type()));
  derived.add_method("dotted", method("acme.Odd.dotted", MessageTraits<Empty>::type(), MessageTraits<Empty>::type()));

  const protobuf::ServiceDescriptor& service = *build(derived)->service(0);

  const auto facts = [&](int index) { return service.method(index)->options().GetExtension(v1::method); };
  EXPECT_FALSE(service.method(0)->options().HasExtension(v1::method));
  EXPECT_EQ(service.method(1)->name(), "add_two");
  EXPECT_EQ(facts(1).path(), "acme.Odd/add-two");
  EXPECT_EQ(facts(1).codec(), "msgpack");
  EXPECT_EQ(service.method(2)->name(), "add_two2");
  EXPECT_EQ(facts(2).path(), "acme.Odd/add_two");
  EXPECT_EQ(facts(2).codec(), "bytes");
  EXPECT_EQ(facts(3).path(), "acme.Odd.dotted");
  EXPECT_EQ(facts(3).codec(), "");
}

TEST_F(DerivedFileTest, DescribesKindAndIdempotence) {
  DerivedFile derived = make("Kinds");
  const MessageType& type = MessageTraits<Slice>::type();
  derived.add_method("One", method("Kinds/One", type, type));
  MethodInfo up = method("Kinds/Up", type, type, MethodKind::client_stream);
  up.idempotent = up.no_side_effects = true;
  derived.add_method("Up", up);
  derived.add_method("Down", method("Kinds/Down", type, type, MethodKind::server_stream));
  MethodInfo both = method("Kinds/Both", type, type, MethodKind::bidirectional);
  both.idempotent = true;
  derived.add_method("Both", both);

  const protobuf::ServiceDescriptor& service = *build(derived)->service(0);

  const auto streams = [&](int i) {
    return std::pair(service.method(i)->client_streaming(), service.method(i)->server_streaming());
  };
  EXPECT_EQ(streams(0), std::pair(false, false));
  EXPECT_EQ(streams(1), std::pair(true, false));
  EXPECT_EQ(streams(2), std::pair(false, true));
  EXPECT_EQ(streams(3), std::pair(true, true));
  EXPECT_EQ(service.method(3)->options().idempotency_level(), protobuf::MethodOptions::IDEMPOTENT);
  EXPECT_EQ(service.method(1)->options().idempotency_level(), protobuf::MethodOptions::NO_SIDE_EFFECTS);
  EXPECT_EQ(service.method(0)->options().idempotency_level(), protobuf::MethodOptions::IDEMPOTENCY_UNKNOWN);
}

TEST_F(DerivedFileTest, GivesTypesOfTheSameNameDifferentNames) {
  DerivedFile derived = make("acme.Tree2");
  derived.add_method("A", method("acme.Tree2/A", message<tree>(), message<other_tree>()));

  const protobuf::MethodDescriptor& described = *build(derived)->service(0)->method(0);

  EXPECT_EQ(described.input_type()->full_name(), "acme.Tree");
  EXPECT_EQ(described.output_type()->full_name(), "acme.Tree3") << "Tree2 is the service";
}

TEST_F(DerivedFileTest, ASecondServiceOfThePackageUsesTheSameType) {
  DerivedFile first = make("acme.First");
  first.add_method("A", method("acme.First/A", message<tree>(), message<tree>()));
  build(first);
  DerivedFile second = make("acme.Second");
  second.add_method("A", method("acme.Second/A", message<tree>(), message<tree>()));

  const protobuf::FileDescriptor& file = *build(second);

  EXPECT_EQ(file.message_type_count(), 0);
  EXPECT_EQ(file.service(0)->method(0)->input_type()->file()->name(), "trunkline/derived/acme.First.proto");
}

TEST_F(DerivedFileTest, WithoutDetailEveryTypeIsAValue) {
  DerivedFile derived = make("Trees", Detail::none);
  derived.add_method("Grow", method("Trees/Grow", message<tree>(), MessageTraits<Empty>::type()));

  const protobuf::MethodDescriptor& described = *build(derived)->service(0)->method(0);

  EXPECT_EQ(described.input_type()->full_name(), "google.protobuf.Value");
  EXPECT_EQ(described.output_type()->full_name(), "google.protobuf.Empty");
}

/// Fields whose names, map entries and oneofs clash with each other.
const TypeDescription& clashing() {
  static const TypeDescription type{.kind = TypeKind::structure,
                                    .name = "Clashing",
                                    .fields = {{"items", of<TypeKind::map, text>},
                                               {"Items", of<TypeKind::map, integer<64, true>>},
                                               {"ItemsEntry", text},
                                               {"note", of<TypeKind::optional, text>},
                                               {"_note", of<TypeKind::optional, text>},
                                               {"no_te", text},
                                               {"ä", text},
                                               {"ö", text}}};
  return type;
}

TEST_F(DerivedFileTest, GivesFieldsThatClashDifferentNames) {
  DerivedFile derived = make("acme.Clashes");
  derived.add_method("A", method("acme.Clashes/A", message<clashing>(), message<clashing>()));

  const protobuf::FileDescriptor* built = build(derived);

  ASSERT_NE(built, nullptr);
  const protobuf::Descriptor& described = *built->FindMessageTypeByName("Clashing");
  ASSERT_EQ(described.field_count(), 8);
  std::string names, keys;
  for (int i = 0; i < described.field_count(); ++i) {
    names += described.field(i)->name() + " ";
    keys += described.field(i)->json_name() + " ";
  }
  EXPECT_EQ(names, "items Items2 ItemsEntry2 note _note2 no_te3 __ __2 ");
  EXPECT_EQ(keys, "items Items ItemsEntry note _note no_te ä ö ");
  EXPECT_TRUE(field(described, "items").is_map());
  EXPECT_EQ(field(described, "Items2").message_type()->map_value()->type(), protobuf::FieldDescriptor::TYPE_INT64);
}

}  // namespace

}  // namespace trunkline::service
