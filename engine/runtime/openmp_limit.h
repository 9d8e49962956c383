#pragma once
/// Library threads inside workers: eight workers must not become 64 threads.

namespace penstock {

/// While it lives, OpenMP teams and MKL calls of the calling thread use that thread alone, also
/// through libtorch. The settings are the thread's own, so that no other thread of the host program
/// sees them, and what they were before comes back. Does nothing where no such library is loaded.
class OpenMpLimit {
 public:
  OpenMpLimit();
  ~OpenMpLimit();
  OpenMpLimit(const OpenMpLimit&) = delete;
  OpenMpLimit& operator=(const OpenMpLimit&) = delete;

 private:
  int team_before_ = 0, mkl_before_ = 0;
};

}  // namespace penstock
