// SPDX-License-Identifier: MIT
// call_many(): the ranges it takes, and the open calls when the caller's code throws.
#include "unit/client/client_fixture.h"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace trunkline::client {

namespace {

class CallMany : public ClientFixture {
 protected:
  template <class Requests>
  std::vector<std::string> responses(Requests&& requests, std::size_t window) {
    std::vector<std::string> result;
    on_loop([&] {
      channel().template call_many<std::string>(
          "Echo", requests, window, [&](std::size_t, Result<std::string> response) {
            result.push_back(response ? *response : response.status().to_string());
          });
    });
    return result;
  }
};

/// Five long texts, each made when the iterator is dereferenced.
struct MadeTexts {
  struct Iterator {
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;
    std::string operator*() const { return std::string(100, 'x') + std::to_string(number); }
    Iterator& operator++() {
      ++number;
      return *this;
    }
    void operator++(int) { ++number; }
    bool operator==(const Iterator&) const = default;
    int number = 0;
  };
  Iterator begin() const { return {}; }
  Iterator end() const { return {5}; }
};

TEST_F(CallMany, KeepsRequestsThatARangeMakesAsItGoes) {
  const auto result = responses(MadeTexts(), 3);

  ASSERT_EQ(result.size(), 5u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(result[static_cast<std::size_t>(i)], "re:" + *MadeTexts::Iterator{i});
}

TEST_F(CallMany, ASinkThatThrowsCancelsWhatIsOpen) {
  network.on_call = [](FakeServer& server, const ServedCall& call) {
    if (server.calls.size() == 1) echo(server, call);
  };
  const std::vector<std::string> requests{"a", "b", "c"};
  const auto sink = [](std::size_t, const Result<std::string>&) { throw std::runtime_error("enough"); };

  on_loop([&] { EXPECT_THROW(channel().call_many<std::string>("Echo", requests, 3, sink), std::runtime_error); });

  EXPECT_EQ(network.server(0).cancelled.size(), 2u);
}

TEST_F(CallMany, RefusesAResponseInfo) {
  ResponseInfo info;
  const std::vector<std::string> requests{"a"};
  const auto sink = [](std::size_t, const Result<std::string>&) {};

  EXPECT_THROW(channel().call_many<std::string>("Echo", requests, 1, sink, {.response_info = &info}),
               std::invalid_argument);
}

}  // namespace

}  // namespace trunkline::client
