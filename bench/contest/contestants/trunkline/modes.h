// SPDX-License-Identifier: MIT
// The two modes of contest_trunkline, each returns the process's exit code; and the names of the methods.
#pragma once

#include "options.h"

namespace trunkline::contest {

/// Prints "listening on URI", then serves until the process is killed.
int serve(const Options& options);
/// Calls for the time of the options and prints one line of JSON.
int call(const Options& options);

inline constexpr const char* echo_method = "contest.Contest/Echo";
inline constexpr const char* text_method = "contest.Contest/Say";
inline constexpr const char* multiply_method = "contest.Contest/Multiply";
inline constexpr const char* object_method = "contest.Contest/FindOne";
inline constexpr const char* fan_out_method = "contest.Contest/FanOut";
inline constexpr const char* talk_method = "contest.Contest/Talk";
inline constexpr const char* pour_method = "contest.Contest/Pour";

}  // namespace trunkline::contest
