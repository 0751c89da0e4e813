// SPDX-License-Identifier: MIT
// Makes the error statuses of codecs.
#pragma once

#include <trunkline/message.h>
#include <trunkline/status.h>

#include <string>
#include <string_view>

namespace trunkline::codec {

/// Returns internal, "encode <codec>: <reason>".
Status encode_error(std::string_view codec, std::string_view reason);
/// Returns invalid_argument, "decode <codec>: <reason>".
Status decode_error(std::string_view codec, std::string_view reason);
/// Returns resource_exhausted, with the text of decode_error().
Status decode_over_limit(std::string_view codec, std::string_view reason);

/// Return internal: the codec does not support the type.
Status cannot_encode(std::string_view codec, const MessageType& type);
Status cannot_decode(std::string_view codec, const MessageType& type);

/// Makes a name from a peer safe for an error text: at most 64 bytes, printable ASCII only.
std::string printable(std::string_view name);

}  // namespace trunkline::codec
