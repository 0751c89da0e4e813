// SPDX-License-Identifier: MIT
// Reads files as a whole; writes to a temporary file and renames it.
#include "cli/bench/bench_file.h"

#include "cli/output/standard_streams.h"
#include "cli/output/terminal.h"
#include "cli/process/failure.h"

#include "load/report_json.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

namespace trunkline::cli::bench {
namespace {

/// The largest size of a file that is read; no saved run is as large.
constexpr std::size_t max_bytes = 64u << 20;

std::string read_all(std::istream& file) {
  std::string text(std::istreambuf_iterator<char>(file), {});
  return text;
}

std::string read_text(const std::string& path) {
  if (path == "-") return read_all(std::cin);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw process::usage_error(path + ": is a directory");
  const auto size = std::filesystem::is_regular_file(path, error) ? std::filesystem::file_size(path, error) : 0;
  if (size > max_bytes) throw process::usage_error(path + ": not a saved run of `trunkline bench`: too large");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw process::usage_error("read " + path + ": " + std::strerror(errno));
  return read_all(file);
}

std::filesystem::path folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

}  // namespace

load::LoadReport read_report(const std::string& path) {
  Result<load::LoadReport> report = load::from_json(read_text(path));
  if (!report) throw process::usage_error(output::escaped(path) + ": " + std::string(report.status().message()));
  return *std::move(report);
}

void check_writable(const char* option, const std::string& path) {
  if (path.empty() || path == "-") return;
  const std::string place = std::string(option) + " " + output::escaped(path) + ": ";
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) throw process::usage_error(place + "is a directory");
  const bool is_there = std::filesystem::exists(status);
  const std::string asked = is_there ? path : folder_of(path).string();
  if (access(asked.c_str(), is_there ? W_OK : W_OK | X_OK) != 0)
    throw process::usage_error(place + std::strerror(errno));
}

void write_file(const std::string& path, std::string_view text) {
  if (path == "-") return output::write_output(text);
  std::error_code error;
  const bool is_plain = !std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error);
  // A device or pipe is written directly. A file is either replaced completely or left unchanged.
  const std::string beside = is_plain ? path + ".partial" : path;
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  const bool is_written = static_cast<bool>(file) && (!is_plain || std::rename(beside.c_str(), path.c_str()) == 0);
  if (is_written) return;
  const std::string reason = std::strerror(errno);
  if (is_plain) (void)std::remove(beside.c_str());
  throw process::Failure(process::exit_status::failed, "write " + path + ": " + reason);
}

}  // namespace trunkline::cli::bench
