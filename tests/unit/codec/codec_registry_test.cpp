// SPDX-License-Identifier: MIT
// Tests of CodecRegistry.
#include <trunkline/codec.h>

#include <gtest/gtest.h>

#include <stdexcept>

namespace trunkline {
namespace {

class NamedCodec final : public Codec {
 public:
  explicit NamedCodec(std::string name) : name_(std::move(name)) {}
  std::string_view name() const noexcept override { return name_; }
  bool supports(const MessageType&) const noexcept override { return false; }
  Status encode(MessageView, BufferWriter&) const override { return Status::ok(); }
  Status decode(const Slice&, MutableMessageView) const override { return Status::ok(); }

 private:
  std::string name_;
};

std::shared_ptr<const Codec> named(std::string name) { return std::make_shared<NamedCodec>(std::move(name)); }

TEST(CodecRegistry, IsEmptyAtFirst) {
  EXPECT_TRUE(CodecRegistry().codecs().empty());
  EXPECT_EQ(CodecRegistry().find("json"), nullptr);
}

TEST(CodecRegistry, HasTheDefaultsInOrder) {
  std::string names;
  for (const auto& codec : CodecRegistry::with_defaults().codecs()) names.append(codec->name()).append(" ");

#ifdef TRUNKLINE_HAS_PROTOBUF
  EXPECT_EQ(names, "protobuf json msgpack bytes ");
#else
  EXPECT_EQ(names, "json msgpack bytes ");
#endif
}

TEST(CodecRegistry, FindsByExactName) {
  const auto codec = named("x");
  CodecRegistry registry;

  registry.add(named("xy")).add(codec);

  EXPECT_EQ(registry.find("x"), codec.get());
  EXPECT_EQ(registry.find("X"), nullptr);
  EXPECT_EQ(registry.find(""), nullptr);
}

TEST(CodecRegistry, ReplacesInPlace) {
  const auto second = named("a");
  CodecRegistry registry;

  registry.add(named("a")).add(named("b")).add(second);

  ASSERT_EQ(registry.codecs().size(), 2U);
  EXPECT_EQ(registry.codecs()[0], second);
}

TEST(CodecRegistry, IsAValue) {
  CodecRegistry original;
  original.add(named("a"));

  CodecRegistry copy = original;
  copy.add(named("b"));

  EXPECT_EQ(original.find("b"), nullptr);
  EXPECT_EQ(copy.find("a"), original.find("a"));
}

TEST(CodecRegistry, RefusesNullAndInvalidNames) {
  CodecRegistry registry;

  EXPECT_THROW(registry.add(nullptr), std::invalid_argument);
  for (const std::string& name : {std::string(), std::string("Json"), std::string("a b"), std::string("a/b"),
                                  std::string("\xC3\xA9"), std::string("a\0", 2), std::string(65, 'a')}) {
    EXPECT_THROW(registry.add(named(name)), std::invalid_argument) << name;
  }
  EXPECT_TRUE(registry.codecs().empty());
  EXPECT_NO_THROW(registry.add(named(std::string(64, 'a'))));
  EXPECT_NO_THROW(registry.add(named("az09-_.")));
}

TEST(CodecRegistry, RefusesThe33rdButStillReplaces) {
  CodecRegistry registry;
  for (int i = 0; i < 32; ++i) registry.add(named("c" + std::to_string(i)));

  EXPECT_THROW(registry.add(named("c32")), std::invalid_argument);
  EXPECT_NO_THROW(registry.add(named("c31")));
  EXPECT_EQ(registry.codecs().size(), 32U);
}

}  // namespace
}  // namespace trunkline
