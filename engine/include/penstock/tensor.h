#pragma once
/// Tensors: DLPack-shaped views with a shared owner. Nothing here needs torch; penstock/torch.h
/// converts to and from at::Tensor without a copy.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace penstock {

/// Element types. Values are stable: they appear in digests.
enum class DType : uint8_t {
  kUInt8 = 0,
  kInt8 = 1,
  kUInt16 = 2,
  kInt16 = 3,
  kInt32 = 4,
  kInt64 = 5,
  kFloat16 = 6,
  kFloat32 = 7,
  kFloat64 = 8,
  kBool = 9,
};

/// Bytes of one element.
size_t size_of(DType dtype);
/// Name as in YAML and reports, for example "uint8" or "float32".
std::string_view name_of(DType dtype);
/// The inverse of name_of(); false when there is no such type.
bool dtype_from_name(std::string_view name, DType* dtype);

/// What the dimensions of a picture mean; kNone for everything else.
enum class Layout : uint8_t { kNone = 0, kHWC = 1, kCHW = 2, kNHWC = 3, kNCHW = 4 };
/// "HWC", "CHW", "NHWC", "NCHW" or "".
std::string_view name_of(Layout layout);

/// Where a tensor's memory lies. `index` is the device number, 0 for the CPU.
struct Device {
  enum class Kind : uint8_t {
    kCpu,
    kPinned,  ///< the CPU's, registered with a device
    kCuda,
    kSimulated,  ///< the CPU's, and to be taken for a device's
  } kind = Kind::kCpu;
  /// The CPU may read it.
  bool is_host() const { return kind == Kind::kCpu || kind == Kind::kPinned; }
  int8_t index = 0;
  friend bool operator==(const Device&, const Device&) = default;
};

/// Counts the bytes of live buffers of one owner (a run). Thread-safe; outlives the run as long as
/// a buffer refers to it. `on_drop` is called, on whatever thread releases memory, after the
/// counter went down.
class ByteAccount {
 public:
  virtual ~ByteAccount() = default;
  void add(size_t bytes) {
    const int64_t now = live_.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed) +
                        static_cast<int64_t>(bytes);
    int64_t seen = high_.load(std::memory_order_relaxed);
    while (now > seen && !high_.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
    }
    on_add(bytes);
  }
  void drop(size_t bytes) {
    live_.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_acq_rel);
    on_drop(bytes);
  }
  int64_t live() const { return live_.load(std::memory_order_acquire); }
  int64_t high_water() const { return high_.load(std::memory_order_relaxed); }

 protected:
  virtual void on_add(size_t bytes) { (void)bytes; }
  virtual void on_drop(size_t bytes) { (void)bytes; }

 private:
  std::atomic<int64_t> live_{0};
  std::atomic<int64_t> high_{0};
};

class DeviceMemory;

/// A block of memory with an intrusive reference count. `release` is called once, on the thread
/// that drops the last reference, perhaps after the run has ended; it must not throw.
struct Buffer {
  std::atomic<uint32_t> refs{1};
  std::atomic<bool> counted{false};  ///< its bytes are on `account`
  void* data = nullptr;
  size_t bytes = 0;
  void (*release)(Buffer*) = nullptr;
  void* context = nullptr;         ///< for `release`
  ByteAccount* account = nullptr;  ///< whose bytes these are, or null
  DeviceMemory* memory = nullptr;  ///< of a device's, what can be asked of it; else null

  /// Takes the bytes off the account, once (they leave the run: delivered or freed).
  void uncount() {
    if (account != nullptr && counted.exchange(false, std::memory_order_acq_rel)) {
      account->drop(bytes);
    }
  }
};

/// Shared ownership of a Buffer.
class BufferRef {
 public:
  BufferRef() = default;
  /// Takes over one reference that the caller owns.
  static BufferRef adopt(Buffer* buffer) {
    BufferRef ref;
    ref.buffer_ = buffer;
    return ref;
  }
  BufferRef(const BufferRef& other) : buffer_(other.buffer_) { retain(); }
  BufferRef(BufferRef&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferRef& operator=(const BufferRef& other) {
    BufferRef copy(other);
    std::swap(buffer_, copy.buffer_);
    return *this;
  }
  BufferRef& operator=(BufferRef&& other) noexcept {
    if (this != &other) {
      reset();
      buffer_ = std::exchange(other.buffer_, nullptr);
    }
    return *this;
  }
  ~BufferRef() { reset(); }

  void reset() {
    if (buffer_ != nullptr && buffer_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      buffer_->release(buffer_);
    }
    buffer_ = nullptr;
  }
  Buffer* get() const { return buffer_; }
  explicit operator bool() const { return buffer_ != nullptr; }
  bool unique() const { return buffer_ && buffer_->refs.load(std::memory_order_acquire) == 1; }

 private:
  void retain() const {
    if (buffer_ != nullptr) buffer_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  Buffer* buffer_ = nullptr;
};

/// A new buffer of `bytes` bytes from the heap, 64-byte aligned; throws std::bad_alloc.
BufferRef allocate_buffer(size_t bytes);
/// A buffer around memory of somebody else; `deleter(context)` runs when the last reference goes.
BufferRef wrap_memory(void* data, size_t bytes, void* context, void (*deleter)(void*));

/// A view of typed memory with up to kMaxDims dimensions; copies share the memory.
/// Shapes and strides count elements. A default-constructed tensor is empty (no dtype meaning).
class Tensor {
 public:
  static constexpr int kMaxDims = 6;

  Tensor() = default;
  /// A dense row-major view of `data` (inside `owner`). Throws std::invalid_argument for more than
  /// kMaxDims dimensions, a negative size or a number of bytes that overflows.
  Tensor(BufferRef owner, void* data, DType dtype, std::span<const int64_t> shape,
         Layout layout = Layout::kNone);

  /// A new dense tensor on the heap. Operators use ctx.output() instead.
  static Tensor empty(std::span<const int64_t> shape, DType dtype, Layout layout = Layout::kNone);
  static Tensor empty(std::initializer_list<int64_t> shape, DType dtype,
                      Layout layout = Layout::kNone) {
    return empty(std::span<const int64_t>(shape.begin(), shape.size()), dtype, layout);
  }

  bool defined() const { return owner_ || data_ != nullptr; }
  int dims() const { return dims_; }
  int64_t size(int dim) const { return shape_[static_cast<size_t>(dim)]; }
  int64_t stride(int dim) const { return strides_[static_cast<size_t>(dim)]; }
  std::span<const int64_t> shape() const { return {shape_.data(), static_cast<size_t>(dims_)}; }
  std::span<const int64_t> strides() const { return {strides_.data(), static_cast<size_t>(dims_)}; }
  DType dtype() const { return dtype_; }
  Layout layout() const { return layout_; }
  Device device() const { return device_; }
  int64_t numel() const;
  /// Bytes of the elements (not of the owner's block).
  size_t nbytes() const { return static_cast<size_t>(numel()) * size_of(dtype_); }
  /// True when the elements lie dense in row-major order.
  bool contiguous() const;

  const void* data() const { return data_; }
  /// For the owner of a fresh output only; inputs are const.
  void* mutable_data() { return data_; }
  template <typename T>
  const T* data_as() const {
    return static_cast<const T*>(data_);
  }
  template <typename T>
  T* mutable_data_as() {
    return static_cast<T*>(data_);
  }
  /// The elements as bytes; the tensor must be contiguous.
  std::span<const uint8_t> bytes() const { return {data_as<uint8_t>(), nbytes()}; }

  const BufferRef& owner() const { return owner_; }
  void set_layout(Layout layout) { layout_ = layout; }
  void set_device(Device device) { device_ = device; }
  /// Same memory, other strides (in elements).
  void set_strides(std::span<const int64_t> strides);
  /// "uint8 [480, 640, 3] HWC".
  std::string describe() const;

 private:
  void* data_ = nullptr;
  BufferRef owner_;
  std::array<int64_t, kMaxDims> shape_{};
  std::array<int64_t, kMaxDims> strides_{};
  uint8_t dims_ = 0;
  DType dtype_ = DType::kUInt8;
  Layout layout_ = Layout::kNone;
  Device device_{};
};

/// One named value of an item: a tensor, a text, or (in a batch) the texts of its samples.
using Field = std::variant<Tensor, std::string, std::vector<std::string>>;
/// Payload bytes of a field.
size_t bytes_of(const Field& field);

}  // namespace penstock
