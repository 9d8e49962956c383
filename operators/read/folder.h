#pragma once
/// The pictures in class folders, found as torchvision's ImageFolder finds them.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace penstock::operators {

/// One picture.
struct FolderRecord {
  std::string path;  ///< Relative to the root, with '/'.
  int64_t label = 0;
};

/// What lies under a root folder.
struct FolderListing {
  std::vector<std::string> classes;   ///< In order of their bytes; a label is the place here.
  std::vector<FolderRecord> records;  ///< Class after class, each in order of path bytes.
  std::vector<std::string> empty;     ///< Classes without a picture; they keep their label.
  uint64_t hidden = 0;                ///< Hidden files and folders (".name") left out.
  uint64_t other = 0;                 ///< Files that do not end as a picture does, left out.
};

/// Lists the class folders of `root`, each with its sub-folders, following links. Files count as
/// pictures by their ending, in any case: jpg, jpeg, png, ppm, bmp, pgm, tif, tiff, webp
/// (torchvision's list), or those of `endings` when that is not empty.
/// Throws std::filesystem::filesystem_error when a folder cannot be read.
FolderListing list_folder(const std::filesystem::path& root,
                          const std::vector<std::string>& endings);

}  // namespace penstock::operators
