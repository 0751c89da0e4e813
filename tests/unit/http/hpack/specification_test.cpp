// SPDX-License-Identifier: MIT
// The examples of RFC 7541, appendices C.2 to C.6, decoded and encoded, with the tables that they leave.
#include "unit/http/hex.h"
#include "unit/http/hpack/field_list.h"

#include <gtest/gtest.h>

namespace trunkline::http::hpack {
namespace {

const NameIds no_ids({});

/// One header block of an example, and what the table is afterwards.
struct Example {
  std::string_view name;
  std::string_view block;
  FieldList fields;
  FieldList table;
  std::uint32_t table_bytes;
};

void expect_decoded(const std::vector<Example>& examples, std::uint32_t max_table_bytes) {
  Decoder decoder(no_ids, {.max_table_bytes = max_table_bytes});
  for (const Example& example : examples) {
    SCOPED_TRACE(example.name);

    const DecodedBlock decoded = decode_block(decoder, from_hex(example.block));

    EXPECT_EQ(decoded.step, Decoder::Step::end);
    EXPECT_EQ(decoded.fields, example.fields);
    EXPECT_EQ(fields_of(decoder.table()), example.table);
    EXPECT_EQ(decoder.table().bytes(), example.table_bytes);
  }
}

void expect_encoded(const std::vector<Example>& examples, std::uint32_t max_table_bytes) {
  Encoder encoder(max_table_bytes);
  // The size update that a table below 4096 begins with is no part of the examples.
  BufferWriter size_update;
  encoder.begin(size_update);
  for (const Example& example : examples) {
    SCOPED_TRACE(example.name);

    const std::vector<std::byte> block = encode_block(encoder, example.fields);

    EXPECT_EQ(to_hex(block), to_hex(from_hex(example.block)));
    EXPECT_EQ(fields_of(encoder.table()), example.table);
    EXPECT_EQ(encoder.table().bytes(), example.table_bytes);
  }
}

const FieldList first_request{
    {":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "www.example.com"}};
const FieldList second_request{{":method", "GET"},
                               {":scheme", "http"},
                               {":path", "/"},
                               {":authority", "www.example.com"},
                               {"cache-control", "no-cache"}};
const FieldList third_request{{":method", "GET"},
                              {":scheme", "https"},
                              {":path", "/index.html"},
                              {":authority", "www.example.com"},
                              {"custom-key", "custom-value"}};
const FieldList first_request_table{{":authority", "www.example.com"}};
const FieldList second_request_table{{"cache-control", "no-cache"}, {":authority", "www.example.com"}};
const FieldList third_request_table{
    {"custom-key", "custom-value"}, {"cache-control", "no-cache"}, {":authority", "www.example.com"}};

const TextField early{"date", "Mon, 21 Oct 2013 20:13:21 GMT"};
const TextField late{"date", "Mon, 21 Oct 2013 20:13:22 GMT"};
const TextField location{"location", "https://www.example.com"};
const TextField encoding{"content-encoding", "gzip"};
const TextField cache{"cache-control", "private"};
const TextField cookie{"set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"};

const FieldList first_response{{":status", "302"}, cache, early, location};
const FieldList second_response{{":status", "307"}, cache, early, location};
const FieldList third_response{{":status", "200"}, cache, late, location, encoding, cookie};
const FieldList first_response_table{location, early, cache, {":status", "302"}};
const FieldList second_response_table{{":status", "307"}, location, early, cache};
const FieldList third_response_table{cookie, encoding, late};

const std::vector<Example> representations{
    {"C.2.1",
     "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
     {{"custom-key", "custom-header"}},
     {{"custom-key", "custom-header"}},
     55},
};

const std::vector<Example> plain_requests{
    {"C.3.1", "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", first_request, first_request_table, 57},
    {"C.3.2", "8286 84be 5808 6e6f 2d63 6163 6865", second_request, second_request_table, 110},
    {"C.3.3", "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65", third_request,
     third_request_table, 164},
};

const std::vector<Example> huffman_requests{
    {"C.4.1", "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", first_request, first_request_table, 57},
    {"C.4.2", "8286 84be 5886 a8eb 1064 9cbf", second_request, second_request_table, 110},
    {"C.4.3", "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf", third_request, third_request_table, 164},
};

const std::vector<Example> plain_responses{
    {"C.5.1",
     "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d "
     "546e"
     "1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
     first_response, first_response_table, 222},
    {"C.5.2", "4803 3330 37c1 c0bf", second_response, second_response_table, 222},
    {"C.5.3",
     "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f "
     "6f3d"
     "4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 "
     "6572"
     "7369 6f6e 3d31",
     third_response, third_response_table, 215},
};

const std::vector<Example> huffman_responses{
    {"C.6.1",
     "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 "
     "8f0b"
     "97c8 e9ae 82ae 43d3",
     first_response, first_response_table, 222},
    {"C.6.2", "4883 640e ffc1 c0bf", second_response, second_response_table, 222},
    {"C.6.3",
     "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 "
     "dfdf"
     "cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
     third_response, third_response_table, 215},
};

TEST(HpackSpecification, DecodesRepresentations) {
  expect_decoded(representations, 4096);
  expect_decoded({{"C.2.2", "040c 2f73 616d 706c 652f 7061 7468", {{":path", "/sample/path"}}, {}, 0}}, 4096);
  expect_decoded({{"C.2.3", "1008 7061 7373 776f 7264 0673 6563 7265 74", {{"password", "secret", true}}, {}, 0}},
                 4096);
  expect_decoded({{"C.2.4", "82", {{":method", "GET"}}, {}, 0}}, 4096);
}

TEST(HpackSpecification, DecodesRequestsWithoutHuffman) { expect_decoded(plain_requests, 4096); }
TEST(HpackSpecification, DecodesRequestsWithHuffman) { expect_decoded(huffman_requests, 4096); }
TEST(HpackSpecification, DecodesResponsesWithoutHuffman) { expect_decoded(plain_responses, 256); }
TEST(HpackSpecification, DecodesResponsesWithHuffman) { expect_decoded(huffman_responses, 256); }

TEST(HpackSpecification, EncodesRequestsWithHuffman) { expect_encoded(huffman_requests, 4096); }

TEST(HpackSpecification, EncodesResponsesWithHuffman) {
  std::vector<Example> examples = huffman_responses;
  // The code of 307 is as long as the text, so the text is written.
  examples[1].block = plain_responses[1].block;

  expect_encoded(examples, 256);
}

}  // namespace
}  // namespace trunkline::http::hpack
