// SPDX-License-Identifier: MIT
// The pseudo-header :path of a call: '/' and the name of its method, percent-encoded.
#pragma once

#include <trunkline/slice.h>

#include <string_view>

namespace trunkline::session::web {

/// Returns the method that a path names: a view of `path`, or of `room`, whose content is replaced, if characters are
/// encoded. It is empty if the path is malformed: without '/' at the start, with a query, a fragment or an incomplete
/// encoding, or if the name is not 1 to 1024 bytes of UTF-8.
std::string_view method_of_path(std::string_view path, BufferWriter& room);

/// Appends the text of a path that is percent-encoded. Returns false for a '%' without two digits.
bool append_decoded_path(std::string_view text, BufferWriter& out);

/// Appends the path of a method. Only what cannot stand in a path is encoded.
void append_path(std::string_view method, BufferWriter& out);

}  // namespace trunkline::session::web
