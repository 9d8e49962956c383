#pragma once
/// Reading whole files.

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace penstock::operators {

/// An open file and its size.
class File {
 public:
  /// Throws std::runtime_error naming the path and the system's reason.
  explicit File(const std::string& path);
  ~File();
  File(File&& other) noexcept
      : path_(std::move(other.path_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        size_(other.size_) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Bytes at the time of opening.
  int64_t size() const { return size_; }

  /// Fills `to` from the beginning of the file. Throws std::runtime_error when the file is shorter
  /// or cannot be read.
  void read(std::span<uint8_t> to) const;

  /// Fills `to` from what the system holds in memory; false if any part would have to be waited
  /// for.
  bool read_cached(std::span<uint8_t> to) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  int64_t size_ = 0;
};

}  // namespace penstock::operators
