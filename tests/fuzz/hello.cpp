// SPDX-License-Identifier: MIT
// Fuzz target: the body of a hello frame.
#include "wire/hello.h"

#include "fuzz/requirement.h"
#include "wire/frame.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline::wire;
  using trunkline::fuzz::require;
  const auto hello = read_hello({reinterpret_cast<const std::byte*>(data), size});
  if (!hello) return 0;
  require(check_hello(*hello).is_ok());
  trunkline::BufferWriter out;
  write_hello(*hello, out);
  const auto again = read_hello(out.bytes().subspan(header_bytes));
  require(again.is_ok() && *again == *hello);
  return 0;
}
