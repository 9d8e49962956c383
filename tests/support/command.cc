#include "support/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace penstock::testing {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

int wait_for(pid_t child, const std::string& err, const CommandOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  size_t sent = 0;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (sent < options.signals.size() &&
        content(err).find(options.signals[sent].second) != std::string::npos) {
      kill(child, options.signals[sent++].first);
    }
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (passed.count() > options.seconds) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Outcome penstock_command(const std::vector<std::string>& arguments, const CommandOptions& options) {
  const TempFolder folder;
  const std::string out =
      options.stdout_path.empty() ? (folder / "out").string() : options.stdout_path;
  const std::string err = (folder / "err").string();
  const std::string program = PENSTOCK_BINARY_DIR "/bin/penstock";
  std::vector<std::string> words = options.under;
  words.push_back(program);
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  variables.insert(variables.begin(), options.environment.begin(), options.environment.end());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  if (!options.directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, options.directory.c_str());
  }
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0].c_str(), &actions, nullptr,
                                 pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + words[0]);
  Outcome outcome;
  if (options.on_start) options.on_start();
  outcome.code = wait_for(child, err, options);
  if (options.stdout_path.empty()) outcome.out = content(out);
  outcome.err = content(err);
  return outcome;
}

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "penstock-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path path = path_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

}  // namespace penstock::testing
