#include "read/folder.h"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

namespace penstock::operators {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kPictureEndings{"jpg", "jpeg", "png",  "ppm", "bmp",
                                               "pgm", "tif",  "tiff", "webp"};

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string below(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

class Lister {
 public:
  Lister(fs::path root, const std::vector<std::string>& endings) : root_(std::move(root)) {
    for (const std::string& ending : endings.empty() ? kPictureEndings : endings) {
      endings_.insert("." + lower_case(ending.starts_with('.') ? ending.substr(1) : ending));
    }
  }

  FolderListing list() {
    for (const fs::directory_entry& entry : fs::directory_iterator(root_)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with('.')) {
        ++listing_.hidden;
      } else if (is_folder(entry)) {
        listing_.classes.push_back(name);
      } else {
        ++listing_.other;
      }
    }
    std::sort(listing_.classes.begin(), listing_.classes.end());
    for (size_t i = 0; i < listing_.classes.size(); ++i) list_class(static_cast<int64_t>(i));
    return std::move(listing_);
  }

 private:
  using FilesByFolder = std::map<std::string, std::vector<std::string>>;

  static bool is_folder(const fs::directory_entry& entry) {
    std::error_code ignored;  // a dangling link is no folder
    return entry.is_directory(ignored);
  }

  void list_class(int64_t label) {
    const std::string& name = listing_.classes[static_cast<size_t>(label)];
    FilesByFolder folders;
    std::vector<fs::path> open;  // folders on the way down, against loops of links
    walk(name, folders, open);
    const size_t before = listing_.records.size();
    for (auto& [folder, files] : folders) {
      std::sort(files.begin(), files.end());
      for (const std::string& file : files) {
        listing_.records.push_back({.path = below(folder, file), .label = label});
      }
    }
    if (listing_.records.size() == before) listing_.empty.push_back(name);
  }

  void walk(const std::string& folder, FilesByFolder& folders, std::vector<fs::path>& open) {
    if (!open.empty() && fs::is_symlink(root_ / folder) && ++links_ > kMostLinks) {
      throw fs::filesystem_error("", root_ / folder,
                                 std::make_error_code(std::errc::too_many_symbolic_link_levels));
    }
    const fs::path real = fs::canonical(root_ / folder);
    if (std::find(open.begin(), open.end(), real) != open.end()) return;
    open.push_back(real);
    for (const fs::directory_entry& entry : fs::directory_iterator(root_ / folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with('.')) {
        ++listing_.hidden;
      } else if (is_folder(entry)) {
        walk(below(folder, name), folders, open);
      } else if (endings_.contains(lower_case(entry.path().extension().string()))) {
        folders[folder].push_back(name);
      } else {
        ++listing_.other;
      }
    }
    open.pop_back();
  }

  // Below the class folders. Folders that link to each other have as many paths as orders: n!.
  static constexpr uint64_t kMostLinks = 10'000;

  fs::path root_;
  uint64_t links_ = 0;
  std::set<std::string> endings_;
  FolderListing listing_;
};

}  // namespace

FolderListing list_folder(const fs::path& root, const std::vector<std::string>& endings) {
  return Lister(root, endings).list();
}

}  // namespace penstock::operators
