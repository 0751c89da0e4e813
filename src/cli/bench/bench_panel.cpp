// SPDX-License-Identifier: MIT
// BenchPanel: draws a few lines that are overwritten some ten times per second.
#include "cli/bench/bench_panel.h"

#include "cli/bench/bench_text.h"
#include "cli/output/duration_text.h"
#include "cli/output/standard_streams.h"
#include "cli/output/table.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace trunkline::cli::bench {
namespace {

using Phase = load::Progress::Phase;

constexpr std::size_t bar_width = 24;
constexpr std::size_t history = 48;
constexpr std::size_t rate_samples = 10;

const char* word_of(Phase phase) {
  switch (phase) {
    case Phase::connecting:
      return "connecting";
    case Phase::warming:
      return "warming up";
    case Phase::measuring:
      return "measuring";
    case Phase::draining:
      return "waiting for open calls";
  }
  return "";
}

std::string seconds_text(double seconds) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1fs", std::max(0.0, seconds));
  return text.data();
}

double fraction_of(const load::Progress& progress) {
  if (progress.planned_seconds > 0) return std::clamp(progress.elapsed_seconds / progress.planned_seconds, 0.0, 1.0);
  return std::clamp(progress.fraction, 0.0, 1.0);
}

std::string bar(double fraction) {
  const auto full = static_cast<std::size_t>(std::lround(fraction * static_cast<double>(bar_width)));
  std::string text;
  for (std::size_t at = 0; at < bar_width; ++at) text += at < full ? "━" : "─";
  return text;
}

std::string time_left(const load::Progress& progress) {
  if (progress.planned_seconds > 0) {
    return seconds_text(progress.planned_seconds - progress.elapsed_seconds) + " left";
  }
  if (progress.fraction <= 0.01) return seconds_text(progress.elapsed_seconds);
  return seconds_text(progress.elapsed_seconds * (1 - progress.fraction) / progress.fraction) + " left";
}

std::string second_text(const load::Progress& progress) {
  if (progress.second == nullptr || progress.second->latency.count() == 0) return "p50 -  p99 -  max -";
  const base::FineHistogram& latency = progress.second->latency;
  return "p50 " + latency_text(latency.quantile(0.5)) + "  p99 " + latency_text(latency.quantile(0.99)) + "  max " +
         latency_text(latency.max());
}

}  // namespace

std::string sparkline(const std::vector<double>& values) {
  constexpr std::array blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double largest = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  std::string text;
  for (const double value : values) {
    const double share = largest > 0 ? std::clamp(value / largest, 0.0, 1.0) : 0.0;
    text += blocks[static_cast<std::size_t>(std::lround(share * static_cast<double>(blocks.size() - 1)))];
  }
  return text;
}

BenchPanel::BenchPanel(bool wants_lines)
    : is_live_(output::is_terminal(STDERR_FILENO)), wants_lines_(wants_lines), style_(STDERR_FILENO) {}

BenchPanel::~BenchPanel() { clear(); }

void BenchPanel::show(const load::Progress& progress) {
  note(progress);
  if (is_live_) return draw(lines(progress));
  if (!wants_lines_ || !progress.is_new_second) return;
  const double seconds = progress.second_length;
  const std::uint64_t ended = std::max(progress.second->calls, progress.second->messages);
  output::write_message("bench: " + seconds_text(progress.elapsed_seconds) + "  " +
                        output::format_count(static_cast<double>(ended) / seconds) + "/s  " + second_text(progress) +
                        "  failed " + output::format_count(static_cast<double>(progress.failed)) + "\n");
}

void BenchPanel::note(const load::Progress& progress) {
  // The count restarts after the warm-up.
  if (!samples_.empty() && progress.ended < samples_.back().calls) samples_.clear();
  if (progress.phase == Phase::measuring) samples_.push_back({progress.elapsed_seconds, progress.ended});
  if (samples_.size() > history) samples_.pop_front();
}

double BenchPanel::rate() const {
  if (samples_.size() < 2) return 0;
  const Sample& first = samples_[samples_.size() > rate_samples ? samples_.size() - 1 - rate_samples : 0];
  const double seconds = samples_.back().at - first.at;
  return seconds > 0 ? static_cast<double>(samples_.back().calls - first.calls) / seconds : 0;
}

std::vector<std::string> BenchPanel::lines(const load::Progress& progress) const {
  std::vector<double> rates;
  for (std::size_t index = 1; index < samples_.size(); ++index) {
    const double seconds = samples_[index].at - samples_[index - 1].at;
    const auto calls = static_cast<double>(samples_[index].calls - samples_[index - 1].calls);
    if (seconds > 0) rates.push_back(calls / seconds);
  }
  const bool is_timed = progress.phase == Phase::warming || progress.phase == Phase::measuring;
  std::string head = word_of(progress.phase);
  if (is_timed) head += "  " + bar(fraction_of(progress)) + "  " + time_left(progress);
  std::string failed = "failed " + output::format_count(static_cast<double>(progress.failed));
  if (progress.failed > 0) failed = style_.error(failed);
  return {head, style_.strong(output::format_count(rate()) + "/s") + "  " + sparkline(rates), second_text(progress),
          "ended " + output::format_count(static_cast<double>(progress.ended)) + "  in progress " +
              output::format_count(static_cast<double>(progress.open)) + "  " + failed};
}

void BenchPanel::draw(const std::vector<std::string>& lines) {
  std::string text = drawn_ > 0 ? "\x1b[" + std::to_string(drawn_) + "A" : "";
  // The rest of each line is cleared; the terminal cuts wide lines instead of wrapping them.
  text += "\x1b[?7l";
  for (const std::string& line : lines) text += "\r" + line + "\x1b[K\n";
  text += "\x1b[?7h";
  drawn_ = lines.size();
  output::write_message(text);
}

void BenchPanel::clear() {
  if (drawn_ > 0) output::write_message("\x1b[" + std::to_string(drawn_) + "A\r\x1b[J");
  drawn_ = 0;
}

}  // namespace trunkline::cli::bench
