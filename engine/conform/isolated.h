#pragma once
/// Checks in processes of their own: an operator that ends its process, or never comes back, costs
/// its own result only.

#include <functional>
#include <optional>
#include <string>

#include "conform/finding.h"

namespace penstock::conform {

/// Runs `body` in a child process and hands what it says to `listener`. Returns how the child ended
/// where it did not end well ("ended by signal 11 (Segmentation fault) in the check 'errors'"), or
/// "". A child that says nothing for `silence_seconds` is ended. To be called while this process
/// has one thread.
std::string run_isolated(const std::function<void(Listener&)>& body, int silence_seconds,
                         Listener& listener);

}  // namespace penstock::conform
