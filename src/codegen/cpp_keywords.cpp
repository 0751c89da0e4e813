// SPDX-License-Identifier: MIT
// The tables of words. Those of protoc match the releases from 3.12 to 36.
#include "codegen/cpp_keywords.h"

#include <algorithm>
#include <array>

namespace trunkline::codegen {

namespace {

constexpr std::array keywords = std::to_array<std::string_view>(
    {"alignas",      "alignof",  "and",       "and_eq",   "asm",        "auto",
     "bitand",       "bitor",    "bool",      "break",    "case",       "catch",
     "char",         "class",    "compl",     "const",    "const_cast", "constexpr",
     "continue",     "decltype", "default",   "delete",   "do",         "double",
     "dynamic_cast", "else",     "enum",      "explicit", "export",     "extern",
     "false",        "float",    "for",       "friend",   "goto",       "if",
     "inline",       "int",      "long",      "mutable",  "namespace",  "new",
     "noexcept",     "not",      "not_eq",    "nullptr",  "operator",   "or",
     "or_eq",        "private",  "protected", "public",   "register",   "reinterpret_cast",
     "return",       "short",    "signed",    "sizeof",   "static",     "static_assert",
     "static_cast",  "struct",   "switch",    "template", "this",       "thread_local",
     "throw",        "true",     "try",       "typedef",  "typeid",     "typename",
     "union",        "unsigned", "using",     "virtual",  "void",       "volatile",
     "wchar_t",      "while",    "xor",       "xor_eq"});

// Words that protoc avoids from release 22 on.
constexpr std::array later_keywords =
    std::to_array<std::string_view>({"char16_t", "char32_t", "char8_t", "co_await", "co_return", "co_yield", "concept",
                                     "consteval", "constinit", "requires"});

// Functions that every message has, which protoc avoids from release 30 on.
constexpr std::array message_functions = std::to_array<std::string_view>(
    {"Clear", "CopyFrom", "GetDescriptor", "GetMetadata", "GetReflection", "IsInitialized", "MergeFrom", "New", "Swap",
     "UnsafeArenaSwap", "default_instance"});

// Macros of <trunkline/server.h> and <asio.hpp> on Linux that look like names.
constexpr std::array macros = std::to_array<std::string_view>(
    {"BUFSIZ",    "CTRL",     "DEBUG",   "DOMAIN",   "ECHO",    "EOF",     "ERROR",   "FALSE",    "HUGE",
     "INFINITY",  "NAN",      "NULL",    "OVERFLOW", "PLOSS",   "SIGABRT", "SIGCHLD", "SIGHUP",   "SIGINT",
     "SIGKILL",   "SIGPIPE",  "SIGQUIT", "SIGSEGV",  "SIGSTOP", "SIGTERM", "SING",    "TLOSS",    "TRUE",
     "UNDERFLOW", "alloca",   "assert",  "errno",    "h_errno", "i386",    "linux",   "major",    "makedev",
     "minor",     "offsetof", "setjmp",  "sigmask",  "stderr",  "stdin",   "stdout",  "timeradd", "timerclear",
     "timercmp",  "timersub", "unix",    "va_arg",   "va_copy", "va_end",  "va_start"});

template <class Words>
bool holds(const Words& words, std::string_view name) {
  return std::find(words.begin(), words.end(), name) != words.end();
}

}  // namespace

bool is_cpp_reserved(std::string_view name) {
  return holds(keywords, name) || holds(later_keywords, name) || holds(macros, name);
}

bool is_escaped_class(std::string_view name, ProtocRelease release) {
  return holds(keywords, name) || name == "NULL" || (release >= 22 && holds(later_keywords, name)) ||
         (release >= 23 && name == "assert") || (release >= 30 && holds(message_functions, name));
}

bool is_escaped_namespace(std::string_view name, ProtocRelease release) {
  return release >= 27 && (holds(keywords, name) || name == "NULL" || name == "assert" || holds(later_keywords, name));
}

}  // namespace trunkline::codegen
