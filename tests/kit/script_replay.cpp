// SPDX-License-Identifier: MIT
// Replays scripts.
#include "kit/script_replay.h"

#include <set>

namespace trunkline::kit {

namespace {

using session::EventType;

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += digits[static_cast<std::uint8_t>(byte) >> 4];
    out += digits[static_cast<std::uint8_t>(byte) & 15];
  }
  return out;
}

std::string describe(const SeenEvent& event) {
  return "event " + std::to_string(static_cast<int>(event.type)) + " id " + std::to_string(event.id) + " message " +
         (event.has_message ? hex(event.payload) : "-") + (event.end ? " end" : "") + " " + event.method + " " +
         event.status.to_string() + "\n";
}

/// `cut` is the byte of the step `at` before which the size of the parts changes.
struct Split {
  std::size_t step = static_cast<std::size_t>(-1);
  std::size_t at = 0;
};

std::string run(const Script& script, std::size_t part, Split split) {
  LoneSession lone(script.role, script.options);
  lone.on_call = script.on_call;
  std::string out;
  for (std::size_t i = 0; i < script.steps.size(); ++i) {
    const ScriptStep& step = script.steps[i];
    if (i == split.step) {
      lone.feed(std::string_view(step.bytes).substr(0, split.at));
      lone.feed(std::string_view(step.bytes).substr(split.at));
    } else {
      lone.feed(step.bytes, part);
    }
    if (step.act) step.act(lone);
    for (const SeenEvent& event : lone.events()) out += describe(event);
  }
  for (const SeenFrame& frame : lone.sent_frames()) {
    out += "frame " + std::to_string(static_cast<int>(frame.header.type)) + " " + std::to_string(frame.header.flags) +
           " " + std::to_string(frame.header.call) + " " + std::to_string(frame.header.number) + " " + hex(frame.body) +
           "\n";
  }
  return out;
}

std::string check_end(std::vector<SeenEvent> events, const std::string& where) {
  std::set<void*> open;
  bool closed = false;
  for (const SeenEvent& event : events) {
    if (closed) return where + ": an event after closed: " + describe(event);
    closed = event.type == EventType::closed;
    if (event.type == EventType::call && !open.insert(event.context).second) continue;
  }
  return closed ? std::string() : where + ": no closed event";
}

}  // namespace

std::string replay(const Script& script, std::size_t part) { return run(script, part, {}); }

std::string replay_split_everywhere(const Script& script) {
  const std::string whole = replay(script);
  if (const std::string bytewise = replay(script, 1); bytewise != whole)
    return "byte by byte:\n" + bytewise + "whole:\n" + whole;
  for (std::size_t step = 0; step < script.steps.size(); ++step) {
    for (std::size_t at = 0; at <= script.steps[step].bytes.size(); ++at) {
      const std::string split = run(script, static_cast<std::size_t>(-1), {step, at});
      if (split != whole) {
        return "step " + std::to_string(step) + " split at " + std::to_string(at) + ":\n" + split + "whole:\n" + whole;
      }
    }
  }
  return {};
}

std::string replay_cut_everywhere(const Script& script) {
  for (std::size_t last = 0; last < script.steps.size(); ++last) {
    for (std::size_t at = 0; at <= script.steps[last].bytes.size(); ++at) {
      for (const bool reset : {false, true}) {
        LoneSession lone(script.role, script.options);
        lone.on_call = script.on_call;
        for (std::size_t i = 0; i < last; ++i) {
          lone.feed(script.steps[i].bytes);
          if (script.steps[i].act) script.steps[i].act(lone);
        }
        lone.feed(std::string_view(script.steps[last].bytes).substr(0, at));
        lone.session().transport_closed(reset ? Status(StatusCode::unavailable, "connection reset") : Status());
        const std::string where = "step " + std::to_string(last) + " cut at " + std::to_string(at);
        if (std::string fault = check_end(lone.events(), where); !fault.empty()) return fault;
        if (lone.session().open_calls() != 0) return where + ": calls are still open";
      }
    }
  }
  return {};
}

}  // namespace trunkline::kit
