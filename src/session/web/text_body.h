// SPDX-License-Identifier: MIT
// TextBody: the message in the body of a request of gRPC-Web's text form (application/grpc-web-text).
#pragma once

#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <string_view>

namespace trunkline::session::web {

struct TextBody {
  bool is_compressed = false;
  Slice message;
};

/// Decodes the base64, which may consist of several texts with padding behind each other, and takes the message in it.
/// Clients of the text form send one message, because they can make only unary calls and streams of the server. Errors:
/// internal (it is no base64, or the message is cut off), unimplemented (not one message).
Status read_text_body(std::string_view text, TextBody& out);

}  // namespace trunkline::session::web
