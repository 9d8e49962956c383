#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "penstock/testing.h"
#include "read/file.h"

namespace penstock::testing {
namespace {

namespace fs = std::filesystem;
using operators::File;

/// A folder that goes away with the test.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (fs::temp_directory_path() / "penstock-read-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  void add(const std::string& name, const std::string& content = "x") const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
  }
  void add_folder(const std::string& name) const { fs::create_directories(path_ / name); }
  const fs::path& path() const { return path_; }
  ParamList params() const { return {{"root", path_.string()}}; }

 private:
  fs::path path_;
};

std::vector<std::string> keys_of(const ParamList& params) {
  const auto op = make_operator("read_folder", params);
  const auto* source = dynamic_cast<const Source*>(op.get());
  REQUIRE(source != nullptr);
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < source->size(0); ++i) keys.push_back(source->key(i));
  return keys;
}

std::string param_error_of(const ParamList& params) {
  try {
    make_operator("read_folder", params);
  } catch (const ParamError& error) {
    return error.param() + ": " + error.what() + " | " + error.help();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A firing of a source that looks at one record only and counts what it outputs.
class OneRecord : public Context {
 public:
  explicit OneRecord(uint64_t index) : at_{.index = index} { origin_ = &at_; }
  using Context::output;
  Tensor& output(int field, std::span<const int64_t> sizes, DType dtype, Layout layout) override {
    if (static_cast<size_t>(field) >= fields.size()) fields.resize(static_cast<size_t>(field) + 1);
    return fields[static_cast<size_t>(field)] = Tensor::empty(sizes, dtype, layout);
  }
  void set(int, Field) override {}
  bool cancelled() const override { return false; }

  std::vector<Tensor> fields;

 private:
  Origin at_;
};

TEST_CASE("read_folder tells of classes without pictures and of what it left out") {
  const TempFolder folder;
  folder.add("cat/c0.jpg");
  folder.add("cat/._c0.jpg");
  folder.add(".ipynb_checkpoints/c0-checkpoint.jpg");
  folder.add_folder("empty_class");
  const auto op = make_operator("read_folder", folder.params());
  CHECK(op->notes() ==
        std::vector<std::string>{"class folder 'empty_class' has no pictures; it keeps its label",
                                 "2 hidden files and folders are left out"});
}

TEST_CASE("read_folder's try_now gives all or nothing, the same as the blocking way") {
  const TempFolder folder;
  folder.add("a/large.jpg", std::string((1 << 20) + 1, 'x'));
  folder.add("b/small.jpg", "12345");
  const auto op = make_operator("read_folder", folder.params());
  FieldTable table;
  op->infer(table);
  OneRecord large(0);
  CHECK_FALSE(op->try_now(large));
  CHECK(large.fields.empty());
  OneRecord small(1);
  if (op->try_now(small)) {  // not every file system can tell what is cached
    REQUIRE(small.fields.size() == 2);
    CHECK(values_of<uint8_t>(small.fields[0]) == std::vector<uint8_t>{'1', '2', '3', '4', '5'});
    CHECK(values_of<int64_t>(small.fields[1]) == std::vector<int64_t>{1});
  } else {
    CHECK(small.fields.empty());
  }
}

TEST_CASE("read_folder gives the bytes and labels of the photographs in order") {
  const fs::path root = fs::path(PENSTOCK_TEST_DATA) / "photos";
  const ParamList params{{"root", root.string()}};
  const auto keys = keys_of(params);
  REQUIRE(keys.size() == 22);
  CHECK(std::is_sorted(keys.begin(), keys.end()));
  CHECK(keys[0] == "baboon/baboon-174073.jpg");
  const auto samples = run_operator("read_folder", params);
  REQUIRE(samples.size() == 22);
  CHECK(values_of<int64_t>(samples[0].tensor("label")) == std::vector<int64_t>{0});
  CHECK(values_of<int64_t>(samples[21].tensor("label")) == std::vector<int64_t>{7});
  const Tensor& image = samples[3].tensor("image");
  CHECK(image.dims() == 1);
  CHECK(image.numel() == static_cast<int64_t>(fs::file_size(root / keys[3])));
  CHECK(image.data_as<uint8_t>()[0] == 0xff);
  CHECK(image.data_as<uint8_t>()[image.numel() - 1] == 0xd9);
}

TEST_CASE("read_folder leaves out hidden and foreign files, keeps empty classes") {
  const TempFolder folder;
  for (const char* name :
       {"cat/c1.jpg", "cat/c0.jpg", "cat/._c0.jpg", "cat/readme.txt", "dog/d0.JPG", "dog/d1.PNG",
        "dog/Thumbs.db", "dog/.ipynb_checkpoints/d0-checkpoint.jpg",
        ".ipynb_checkpoints/c0-checkpoint.jpg", ".DS_Store", "stray.jpg"}) {
    folder.add(name);
  }
  folder.add_folder("closed");  // empty, between cat and dog: dog stays class 2
  CHECK(keys_of(folder.params()) ==
        std::vector<std::string>{"cat/c0.jpg", "cat/c1.jpg", "dog/d0.JPG", "dog/d1.PNG"});
  const auto samples = run_operator("read_folder", folder.params());
  CHECK(values_of<int64_t>(samples[1].tensor("label")) == std::vector<int64_t>{0});
  CHECK(values_of<int64_t>(samples[2].tensor("label")) == std::vector<int64_t>{2});
}

TEST_CASE("read_folder goes into sub-folders and sorts by bytes as torchvision does") {
  const TempFolder folder;
  for (const char* name : {"b/z.jpg", "b/a/x.jpg", "b/a-/y.jpg", "b/a.jpg", "B/1.jpg", "a/1.jpg",
                           "ä/1.jpg", "b/10.jpg", "b/9.jpg"}) {
    folder.add(name);
  }
  CHECK(keys_of(folder.params()) == std::vector<std::string>{"B/1.jpg", "a/1.jpg", "b/10.jpg",
                                                             "b/9.jpg", "b/a.jpg", "b/z.jpg",
                                                             "b/a/x.jpg", "b/a-/y.jpg", "ä/1.jpg"});
}

TEST_CASE("read_folder follows links and survives loops and dangling ones") {
  const TempFolder folder;
  const TempFolder elsewhere;
  folder.add("a/1.jpg");
  elsewhere.add("2.jpg");
  fs::create_directory_symlink(elsewhere.path(), folder.path() / "b");
  fs::create_directory_symlink(folder.path() / "a", folder.path() / "a" / "loop");
  fs::create_symlink("/nowhere", folder.path() / "c");
  CHECK(keys_of(folder.params()) == std::vector<std::string>{"a/1.jpg", "b/2.jpg"});
}

TEST_CASE("read_folder gives up on folders that link to each other") {
  const TempFolder folder;
  const std::string names = "abcdefghij";
  for (const char from : names) folder.add_folder(std::string("class/") + from);
  for (const char from : names) {
    for (const char to : names) {
      if (from == to) continue;
      fs::create_directory_symlink(
          std::string("../") + to,
          folder.path() / "class" / std::string(1, from) / std::string(1, to));
    }
  }
  CHECK(contains(param_error_of(folder.params()), "do they lead to each other?"));
}

TEST_CASE("read_folder reads paths with spaces and any letters") {
  const TempFolder folder;
  const std::string name = "päth данные/画像 é.png";
  folder.add(name, "picture");
  CHECK(keys_of(folder.params()) == std::vector<std::string>{name});
  const auto samples = run_operator("read_folder", folder.params());
  CHECK(samples[0].tensor("image").numel() == 7);
}

TEST_CASE("read_folder takes other endings on request") {
  const TempFolder folder;
  for (const char* name : {"a/1.jpg", "a/2.gif", "a/3.GIF"}) folder.add(name);
  ParamList params = folder.params();
  params.emplace_back("extensions", std::vector<std::string>{".gif"});
  CHECK(keys_of(params) == std::vector<std::string>{"a/2.gif", "a/3.GIF"});
}

TEST_CASE("read_folder says what is wrong with a root, with its absolute path") {
  const TempFolder folder;
  const std::string path = folder.path().string();
  CHECK(contains(param_error_of({{"root", path + "/none"}}),
                 "root: there is no folder '" + path + "/none'"));
  CHECK(contains(param_error_of(folder.params()), "there are no class folders in '" + path + "'"));
  folder.add("file.jpg");
  CHECK(contains(param_error_of({{"root", path + "/file.jpg"}}), "is not a folder"));
  folder.add("cat/notes.txt");
  CHECK(contains(param_error_of(folder.params()),
                 "there are no pictures in the 1 class folders of '" + path + "'"));
  CHECK(contains(param_error_of({{"root", std::string("no such folder")}}),
                 "there is no folder '" + (fs::current_path() / "no such folder").string() + "'"));
}

TEST_CASE("read_folder refuses files above max_bytes and files that went away") {
  const TempFolder folder;
  folder.add("a/1.jpg", "12345");
  ParamList params = folder.params();
  params.emplace_back("max_bytes", int64_t{4});
  CHECK_THROWS_WITH(run_operator("read_folder", params),
                    "the file has 5 bytes, the limit is 4; raise max_bytes to allow it");
  params.back().second = int64_t{5};
  CHECK(run_operator("read_folder", params).size() == 1);
  REQUIRE(mkfifo((folder.path() / "a/2.jpg").c_str(), 0600) == 0);
  CHECK_THROWS_AS(run_operator("read_folder", folder.params()), std::runtime_error);
  fs::remove(folder.path() / "a/2.jpg");
  folder.add("a/0.jpg", "");
  CHECK(run_operator("read_folder", folder.params())[0].tensor("image").numel() == 0);
}

TEST_CASE("read_folder blames the machine, not the picture, when no file can be opened") {
  const TempFolder folder;
  folder.add("a/1.jpg", "12345");
  const ParamList params = folder.params();
  CHECK(run_operator("read_folder", params).size() == 1);  // the library is open from here on
  rlimit limit = {};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const rlimit before = limit;
  limit.rlim_cur = 1;  // none beyond those that are open
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK_THROWS_AS(File((folder.path() / "a/1.jpg").string()), MachineError);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
}

TEST_CASE("read_folder names the folder that it cannot list, and why") {
  const TempFolder folder;
  const int start = open(folder.path().c_str(), O_RDONLY | O_DIRECTORY);
  int at = start;
  const std::string name(200, 'd');
  for (int depth = 0; depth < 25; ++depth) {  // a path of more than PATH_MAX
    REQUIRE(mkdirat(at, name.c_str(), 0700) == 0);
    const int below = openat(at, name.c_str(), O_RDONLY | O_DIRECTORY);
    close(at);
    at = below;
  }
  close(at);
  const std::string error = param_error_of(folder.params());
  CHECK(contains(error, "root: cannot list '" + folder.path().string() + "/ddd"));
  CHECK(contains(error, ": File name too long | check that folder's access rights"));
  CHECK_FALSE(contains(error, "filesystem error"));
}

TEST_CASE("a pipe in place of a picture is refused in plain words") {
  const TempFolder folder;
  folder.add_folder("a");
  const std::string pipe = (folder.path() / "a/1.jpg").string();
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(File{pipe}, ("'" + pipe + "' is not a regular file").c_str());
}

}  // namespace
}  // namespace penstock::testing
