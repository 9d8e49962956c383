#pragma once
/// A known amount of CPU work for measuring: a fixed number of iterations of a loop that no
/// compiler can shorten. Unlike a loop that ends at a deadline, it takes longer when the CPU is
/// shared, as real work does.

#include <cstdint>

namespace penstock {

/// Does that many iterations (a chain of multiplications, a few cycles each); the result depends on
/// all of them. Thread-safe.
uint64_t spin(uint64_t iterations);

/// Iterations that take a millisecond when nothing disturbs: the best of several short trials.
/// Measured at the process's first call (about 20 ms), the same afterwards. Thread-safe.
double spin_iterations_per_ms();

/// The number of iterations for so many nanoseconds; 0 for 0 or less, at least 1 otherwise.
uint64_t spin_iterations(int64_t ns);

}  // namespace penstock
