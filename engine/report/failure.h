#pragma once
/// What ended a run or a series of runs, for reports.

#include <exception>
#include <nlohmann/json_fwd.hpp>

#include "penstock/item.h"
#include "penstock/report.h"

namespace penstock {

FailureReport failure_of(const ErrorInfo& error);
/// Of a RunError with all that it knows; of other exceptions the message alone.
FailureReport failure_of(const std::exception& error);
nlohmann::ordered_json json_of(const FailureReport& failure);

}  // namespace penstock
