#pragma once
/// Library threads inside workers: eight workers must not become 64 threads.

namespace penstock {

/// While it lives, OpenMP teams that the calling thread starts have one member; the setting is the
/// thread's own, so that no other thread of the host program sees it. Does nothing where no OpenMP
/// runtime is loaded.
class OpenMpLimit {
 public:
  OpenMpLimit();
  ~OpenMpLimit();
  OpenMpLimit(const OpenMpLimit&) = delete;
  OpenMpLimit& operator=(const OpenMpLimit&) = delete;

 private:
  int before_ = 0;
};

}  // namespace penstock
