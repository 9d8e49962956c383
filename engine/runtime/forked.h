#pragma once

namespace penstock {

/// Notes that the calling process has threads of the engine now. Thread-safe.
void note_threads();
/// The calling process is the fork of one that had such threads: it has none of them, and what they
/// were about to do stays undone. Thread-safe.
bool threads_lost();
/// Throws std::runtime_error, with what to do instead, where threads_lost().
void require_threads();

}  // namespace penstock
