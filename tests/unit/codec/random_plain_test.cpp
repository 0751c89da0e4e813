// SPDX-License-Identifier: MIT
// Random plain types go through JSON and MessagePack unchanged, and random damage never gets past an answer.
#include "unit/codec/plain_types.h"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

namespace trunkline::test {

namespace {

class RandomPlain : public ::testing::Test {
 protected:
  RandomPlain() {
    const char* given = std::getenv("TRUNKLINE_SEED");
    const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::cout << "TRUNKLINE_SEED=" << seed << std::endl;
    random_.seed(seed);
  }
  template <class T>
  T integer() {
    return static_cast<T>(random_() >> (random_() % 64));
  }
  std::size_t below(std::size_t limit) { return random_() % limit; }
  std::string text() {
    std::string result;
    for (std::size_t i = below(12); i > 0; --i) result += static_cast<char>('a' + below(26));
    return result;
  }
  double number() { return std::ldexp(static_cast<double>(integer<std::int32_t>()), static_cast<int>(below(40)) - 20); }
  Point point() { return {number(), number()}; }

  Assortment everything(int depth) {
    Assortment all;
    all.flag = below(2) == 0;
    all.small = integer<std::int8_t>();
    all.middle = integer<std::uint16_t>();
    all.big = integer<std::int64_t>();
    all.huge = integer<std::uint64_t>();
    all.thin = static_cast<float>(number());
    all.wide = number();
    all.name = text();
    for (std::size_t i = below(9); i > 0; --i) all.content.push_back(static_cast<std::byte>(below(256)));
    for (std::size_t i = below(4); i > 0; --i) all.points.push_back(point());
    for (std::size_t i = below(4); i > 0; --i) all.rows.emplace_back(below(3), integer<int>());
    if (below(2) == 0) all.maybe = text();
    if (below(2) == 0) all.center = point();
    for (std::size_t i = below(4); i > 0; --i) all.by_name.emplace(text(), point());
    for (std::size_t i = below(4); i > 0; --i) all.counts.emplace(text(), integer<int>());
    for (std::size_t i = below(4); i > 0; --i) all.words.insert(text());
    all.axes = {number(), number(), number()};
    all.color = static_cast<Color>(integer<std::int8_t>());
    if (below(2) == 0) all.anything = Value::array({text(), integer<std::int64_t>(), nullptr});
    for (std::size_t i = below(9); i > 0; --i) all.bits.push_back(below(2) == 0);
    for (std::size_t i = depth > 0 ? below(3) : 0; i > 0; --i) all.children.push_back(everything(depth - 1));
    return all;
  }

  std::mt19937_64 random_;
};

TEST_F(RandomPlain, RoundTrips) {
  for (int i = 0; i < 200 && !HasFailure(); ++i) expect_round_trip(everything(2));
}

/// Whatever the bytes are, decoding ends with a message or a reason.
TEST_F(RandomPlain, DamagedBytesAreAMessageOrAnError) {
  int refused = 0;
  for (const char* name : {"json", "msgpack"}) {
    for (int i = 0; i < 500; ++i) {
      BufferWriter out;
      ASSERT_TRUE(codec(name).encode(MessageView::of(everything(1)), out).is_ok());
      std::string bytes(as_text(out.bytes()));
      for (std::size_t damage = 1 + below(3); damage > 0; --damage) {
        bytes[below(bytes.size())] = static_cast<char>(below(256));
      }
      Assortment back;
      const Status status = codec(name).decode(Slice::copy_of(bytes), MutableMessageView::of(back));
      if (status.is_ok()) continue;
      ++refused;
      EXPECT_TRUE(status.message().starts_with("decode ")) << status.to_string();
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace

}  // namespace trunkline::test
