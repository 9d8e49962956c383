#pragma once
/// Small operators for tests, one of each kind, on one int64 field `value`:
///   numbers {sizes}            source: sizes[epoch] records (the last size again for later
///                              epochs), value = 1000 * epoch + index
///   pass {add, fail_at, time}  map: value + add; throws where the input value is fail_at
///   sleepy {time}              the same, blocking: sleeps
///   odd {}                     filter: keeps odd values
///   noise {}                   map: value = ctx.rng().below(1000000)
///   tally {}                   serial map: value + number of samples before it in the epoch
///   fan {children, empty_every} expand: value * 100 + child; parents whose value is a multiple of
///                              empty_every have none
///   group {size, drop_last}    collate: value [n], the samples' values
///   pair {}                    zip
///   turns {}                   merge
///   first {count}              take
///   swallow {}                 sink
///   text {}                    map: adds the text field `name`
#include "plan/registry.h"

namespace penstock {

/// Throws std::logic_error when a name is taken.
void add_plain_operators(Registry* registry);
Registry plain_registry();

}  // namespace penstock
