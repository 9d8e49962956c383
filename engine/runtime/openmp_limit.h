#pragma once
/// Library threads inside workers: eight workers must not become 64 threads.

namespace penstock {

/// The settings' functions in the libraries that are loaded; null where they are not.
struct OpenMpCalls {
  int (*get_threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
  int (*torch_threads)() = nullptr;
  int (*swap_mkl_threads)(int) = nullptr;
  /// Looks for them, some 40 us: not for each batch.
  static OpenMpCalls find();
};

/// While it lives, OpenMP teams and MKL calls of the calling thread use that thread alone, also
/// through libtorch. The settings are the thread's own, so that no other thread of the host program
/// sees them, and what they were before comes back. Does nothing where no such library is loaded.
class OpenMpLimit {
 public:
  explicit OpenMpLimit(const OpenMpCalls& calls = OpenMpCalls::find());
  ~OpenMpLimit();
  OpenMpLimit(const OpenMpLimit&) = delete;
  OpenMpLimit& operator=(const OpenMpLimit&) = delete;

 private:
  OpenMpCalls calls_;
  int team_before_ = 0, mkl_before_ = 0;
};

}  // namespace penstock
