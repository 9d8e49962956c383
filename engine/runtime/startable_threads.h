#pragma once
/// How many threads there are to be had, found out before a run depends on them.

namespace penstock {

/// How many threads the system lets this process start now, beside those that it has, at most
/// `wanted`: that many are made and ended again. Limits on processes and on memory count.
int startable_threads(int wanted);

}  // namespace penstock
