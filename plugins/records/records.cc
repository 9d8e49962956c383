// A source with random access to a made-up record format. A file of records is, in little-endian:
//   8 bytes "RECORDS1", uint64 number of records, for each record uint64 offset and uint64 bytes,
//   and at these offsets records of int64 label, then float32 values.
#include <fcntl.h>
#include <penstock/plugin.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace {

using namespace penstock;

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie there");

constexpr char kMagic[] = {'R', 'E', 'C', 'O', 'R', 'D', 'S', '1'};
constexpr uint64_t kHead = 16;  // bytes before the index

/// A file that may be read by several threads at once.
class File {
 public:
  explicit File(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) throw ParamError("file", "cannot open '" + path + "': " + std::strerror(errno));
  }
  ~File() { close(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  uint64_t size() const {
    struct stat facts {};
    return fstat(file_, &facts) == 0 && S_ISREG(facts.st_mode)
               ? static_cast<uint64_t>(facts.st_size)
               : 0;
  }
  void read(uint64_t offset, void* to, size_t bytes) const {
    auto* at = static_cast<char*>(to);
    while (bytes > 0) {
      const ssize_t n = pread(file_, at, bytes, static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) throw std::runtime_error(n == 0 ? "the file is cut off" : std::strerror(errno));
      at += n, offset += static_cast<uint64_t>(n), bytes -= static_cast<size_t>(n);
    }
  }

 private:
  int file_;
};

class Records : public Source {
 public:
  explicit Records(const Params& params) : file_(params.text("file")) {
    const uint64_t size = file_.size();
    char magic[sizeof kMagic] = {};
    if (size >= kHead) file_.read(0, magic, sizeof magic);
    if (std::memcmp(magic, kMagic, sizeof magic) != 0) {
      throw ParamError("file", "'" + params.text("file") + "' is no file of records");
    }
    file_.read(sizeof magic, &count_, sizeof count_);
    // Before anything is believed of it: the index must fit into the file.
    if (count_ > (size - kHead) / sizeof(Place)) {
      throw ParamError("file", "'" + params.text("file") + "' says that it has " +
                                   std::to_string(count_) + " records, and is too short for them");
    }
    size_ = size;
  }

  void infer(FieldTable& fields) override {
    values_ =
        fields.add({.name = "x", .dtype = DType::kFloat32, .shape = std::vector<int64_t>{-1}});
    label_ = fields.add({.name = "label", .dtype = DType::kInt64, .shape = std::vector<int64_t>{}});
  }

  uint64_t size(uint32_t) const override { return count_; }
  std::string key(uint64_t index) const override { return "record " + std::to_string(index); }

  // The engine chooses the record; it asks for them in any order, on several threads.
  void process(Context& ctx) override {
    Place place{};
    file_.read(kHead + ctx.origin().index * sizeof place, &place, sizeof place);
    constexpr uint64_t kLabel = sizeof(int64_t);
    const bool fits = place.offset <= size_ && place.bytes <= size_ - place.offset;
    if (!fits || place.bytes < kLabel || (place.bytes - kLabel) % sizeof(float) != 0) {
      throw std::runtime_error(
          "its place in the index makes no sense: " + std::to_string(place.bytes) + " bytes at " +
          std::to_string(place.offset));
    }
    file_.read(place.offset, ctx.output(label_, {}, DType::kInt64).mutable_data(), kLabel);
    const auto count = static_cast<int64_t>((place.bytes - kLabel) / sizeof(float));
    Tensor& values = ctx.output(values_, {count}, DType::kFloat32);
    file_.read(place.offset + kLabel, values.mutable_data(), values.nbytes());
  }

 private:
  struct Place {
    uint64_t offset, bytes;
  };
  File file_;
  uint64_t count_ = 0, size_ = 0;
  int values_ = -1, label_ = -1;
};

void register_operators(OperatorSink& sink) {
  Schema schema("records", Kind::kSource, "Reads records of values with a label from one file.");
  schema.where(Where::kBlocking)
      .param({.name = "file",
              .type = ParamType::kPath,
              .doc = "The file of records.",
              .required = true})
      .writes("x", "float32 vector: the record's values")
      .writes("label", "int64, 0-d: the record's label")
      .example("{op: records, params: {file: train.records, shuffle: true}}");
  sink.add({schema, [](const Params& params) { return std::make_unique<Records>(params); }});
}

}  // namespace

PENSTOCK_PLUGIN("records", "1.0.0", "the Penstock authors", "Apache-2.0", register_operators)
