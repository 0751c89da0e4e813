// SPDX-License-Identifier: MIT
// Random values go through JSON and MessagePack unchanged, and random damage never gets past an answer.
#include <trunkline/value.h>

#include <unit/codec/coding.h>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

namespace trunkline::test {
namespace {

/// TRUNKLINE_SEED, or one drawn at random; printed so that it can be given back.
std::uint64_t seed() {
  const char* given = std::getenv("TRUNKLINE_SEED");
  const std::uint64_t value = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "TRUNKLINE_SEED=" << value << std::endl;
  return value;
}

class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed_value) : engine_(seed_value) {}

  std::uint64_t below(std::uint64_t limit) {
    return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(engine_);
  }

  Value value(std::size_t depth, bool with_bytes) {
    switch (below(depth == 0 ? 7 : 9)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return static_cast<std::int64_t>(engine_() >> below(64)) * (below(2) == 0 ? 1 : -1);
      case 3:
        return engine_() >> below(64);
      case 4:
        return real();
      case 5:
        return text();
      case 6:
        return with_bytes ? Value::bytes(as_bytes(text())) : Value(text());
      case 7:
        return array(depth, with_bytes);
      default:
        return object(depth, with_bytes);
    }
  }

 private:
  double real() {
    const double number = std::bit_cast<double>(engine_());
    return std::isfinite(number) ? number : 0.5;
  }
  std::string text() {
    static constexpr std::string_view pieces[] = {
        "a", "\"", "\\", "\n", "\x01", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "/", "\x7F"};
    std::string made;
    for (std::uint64_t left = below(40); left > 0; --left) made += pieces[below(std::size(pieces))];
    return made;
  }
  Value array(std::size_t depth, bool with_bytes) {
    Value::Array elements;
    for (std::uint64_t left = below(20); left > 0; --left) elements.push_back(value(depth - 1, with_bytes));
    return elements;
  }
  Value object(std::size_t depth, bool with_bytes) {
    Value::Object members;
    for (std::uint64_t left = below(20); left > 0; --left) {
      members.emplace_back(std::to_string(left) + text(), value(depth - 1, with_bytes));
    }
    return members;
  }

  std::mt19937_64 engine_;
};

TEST(RandomValue, RoundTripsThroughJson) {
  RandomValues random(seed());
  for (int i = 0; i < 500; ++i) {
    const Value value = random.value(4, false);
    const std::string json = encoded("json", value);
    Value back;

    const Status status = decode("json", json, back);

    ASSERT_TRUE(status.is_ok()) << status.to_string() << "\n" << json;
    ASSERT_EQ(back, value) << json;
    ASSERT_EQ(encoded("json", back), json);
  }
}

TEST(RandomValue, RoundTripsThroughMessagePack) {
  RandomValues random(seed());
  for (int i = 0; i < 500; ++i) {
    const Value value = random.value(4, true);
    const std::string packed = encoded("msgpack", value);
    Value back;

    const Status status = decode("msgpack", packed, back);

    ASSERT_TRUE(status.is_ok()) << status.to_string();
    ASSERT_EQ(back, value);
    ASSERT_EQ(encoded("msgpack", back), packed);
  }
}

TEST(RandomValue, DamageEndsInAnErrorOrAValueThatRoundTrips) {
  RandomValues random(seed());
  for (const std::string_view name : {"json", "msgpack"}) {
    for (int i = 0; i < 2000; ++i) {
      std::string payload = encoded(name, random.value(2, true));
      payload[random.below(payload.size())] = static_cast<char>(random.below(256));
      Value back;

      const Status status = decode(name, payload, back);

      if (!status.is_ok()) {
        ASSERT_EQ(status.code(), StatusCode::invalid_argument);
        continue;
      }
      const std::string again = encoded(name, back);
      Value second;
      ASSERT_TRUE(decode(name, again, second).is_ok()) << again;
      ASSERT_EQ(encoded(name, second), again);
    }
  }
}

}  // namespace
}  // namespace trunkline::test
