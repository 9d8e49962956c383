#include <filesystem>
#include <stdexcept>

#include "builtin.h"
#include "read/file.h"
#include "read/folder.h"

namespace penstock::operators {
namespace {

/// Larger files are read on the I/O threads even when they are cached: the copy alone is long.
constexpr int64_t kMostCached = 1 << 20;

class ReadFolder : public Source {
 public:
  explicit ReadFolder(const Params& params)
      : root_(std::filesystem::absolute(params.text("root")).lexically_normal()),
        max_bytes_(params.integer("max_bytes")),
        listing_(list(root_, params.texts("extensions"))) {}

  uint64_t size(uint32_t) const override { return listing_.records.size(); }

  std::string key(uint64_t index) const override {
    return index < listing_.records.size() ? listing_.records[index].path : Source::key(index);
  }

  void infer(FieldTable& fields) override {
    image_ =
        fields.add({.name = "image", .dtype = DType::kUInt8, .shape = std::vector<int64_t>{-1}});
    label_ = fields.add({.name = "label", .dtype = DType::kInt64, .shape = std::vector<int64_t>{}});
  }

  void process(Context& ctx) override {
    const FolderRecord& record = listing_.records.at(ctx.origin().index);
    const File file = open(record);
    file.read(image_memory(ctx, file.size()));
    output_label(ctx, record);
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    for (const std::string& name : listing_.empty) {
      notes.push_back("class folder '" + name + "' has no pictures; it keeps its label");
    }
    if (listing_.hidden > 0) {
      notes.push_back(std::to_string(listing_.hidden) + " hidden files and folders are left out");
    }
    return notes;
  }

  bool try_now(Context& ctx) override {
    const FolderRecord& record = listing_.records.at(ctx.origin().index);
    const File file = open(record);
    if (file.size() > kMostCached) return false;
    // Read aside first: nothing may have been output when the answer is no.
    thread_local std::vector<uint8_t> bytes;
    bytes.resize(static_cast<size_t>(file.size()));
    if (!file.read_cached(bytes)) return false;
    std::copy(bytes.begin(), bytes.end(), image_memory(ctx, file.size()).begin());
    output_label(ctx, record);
    return true;
  }

 private:
  static FolderListing list(const std::filesystem::path& root,
                            const std::vector<std::string>& endings) {
    namespace fs = std::filesystem;
    const std::string shown = "'" + root.string() + "'";
    std::error_code error;
    if (!fs::is_directory(root, error)) {
      const bool there = fs::exists(root, error);
      throw ParamError("root", there ? shown + " is not a folder" : "there is no folder " + shown,
                       "a folder with one sub-folder of pictures for each class");
    }
    FolderListing listing;
    try {
      listing = list_folder(root, endings);
    } catch (const fs::filesystem_error& cause) {
      const bool links = cause.code() == std::errc::too_many_symbolic_link_levels;
      throw ParamError("root",
                       "cannot list '" + cause.path1().string() + "': " +
                           (links ? "too many links to folders: do they lead to each other?"
                                  : cause.code().message()),
                       links ? "remove some of the links"
                             : "check that folder's access rights, and that it stays as it is");
    }
    if (listing.records.empty()) {
      throw ParamError("root",
                       listing.classes.empty()
                           ? "there are no class folders in " + shown
                           : "there are no pictures in the " +
                                 std::to_string(listing.classes.size()) + " class folders of " +
                                 shown + " (" + std::to_string(listing.other) + " other files, " +
                                 std::to_string(listing.hidden) + " hidden)",
                       "pictures belong into one sub-folder for each class: " +
                           (root / "cat" / "1.jpg").string() + "; `extensions` says what counts");
    }
    return listing;
  }

  File open(const FolderRecord& record) const {
    File file((root_ / record.path).string());
    if (file.size() > max_bytes_) {
      throw std::runtime_error("the file has " + std::to_string(file.size()) +
                               " bytes, the limit is " + std::to_string(max_bytes_) +
                               "; raise max_bytes to allow it");
    }
    return file;
  }

  std::span<uint8_t> image_memory(Context& ctx, int64_t bytes) const {
    Tensor& out = ctx.output(image_, {bytes}, DType::kUInt8);
    return {out.mutable_data_as<uint8_t>(), static_cast<size_t>(bytes)};
  }

  void output_label(Context& ctx, const FolderRecord& record) const {
    *ctx.output(label_, {}, DType::kInt64).mutable_data_as<int64_t>() = record.label;
  }

  std::filesystem::path root_;
  int64_t max_bytes_;
  FolderListing listing_;
  int image_ = -1, label_ = -1;
};

}  // namespace

OperatorDef make_read_folder() {
  Schema schema("read_folder", Kind::kSource,
                "Reads the files of class folders, in torchvision's order: the label is the class "
                "folder's place among all of them, sorted by bytes, those without pictures "
                "included. Hidden files and folders are left out; links are followed.");
  schema.where(Where::kBlocking)
      .param({.name = "root",
              .type = ParamType::kPath,
              .doc = "Folder with one sub-folder for each class.",
              .required = true})
      .param({.name = "extensions",
              .type = ParamType::kStringList,
              .doc = "Endings of the files to read, in any case; none: jpg, jpeg, png, ppm, bmp, "
                     "pgm, tif, tiff, webp.",
              .default_value = std::vector<std::string>{}})
      .param({.name = "max_bytes",
              .type = ParamType::kBytes,
              .doc = "A larger file fails its sample before memory is taken.",
              .default_value = int64_t{256} << 20,
              .unit = "bytes",
              .low = 1})
      .writes("image", "the file's bytes: uint8, one dimension")
      .writes("label", "int64, 0-d: the class")
      .example("{op: read_folder, params: {root: photos}}");
  return {.schema = std::move(schema),
          .make = [](const Params& params) { return std::make_unique<ReadFolder>(params); }};
}

}  // namespace penstock::operators
