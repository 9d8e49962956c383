#pragma once
/// Other programs that draw: dot, gnuplot.

#include <cstdint>
#include <string>
#include <vector>

namespace penstock::cli {

enum class Outcome : uint8_t { kDone, kMissing, kFailed };

/// Runs `command` (a program on PATH and its arguments) with `input` as its standard input and puts
/// what it writes into `output`: such programs do not tell when a disk is full. kMissing: there is
/// no such program. Throws std::runtime_error for what is neither the program's nor the input's
/// fault.
Outcome feed(const std::vector<std::string>& command, const std::string& input,
             std::string* output);

}  // namespace penstock::cli
