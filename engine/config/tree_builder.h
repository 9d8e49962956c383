#pragma once
/// Builds Values from yaml-cpp's events; one object for one parse, on one thread. yaml-cpp calls
/// the On... functions in the order of the text; take() gives the tree when the parser has
/// returned.

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/source.h"
#include "plan/graph_spec.h"

namespace penstock::config {

/// Thrown through yaml-cpp to end a parse at once: a limit is passed, or the tree makes no sense.
struct ParseStopped {
  Diagnostic diagnostic;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const Source& source, std::vector<Diagnostic>* diagnostics)
      : source_(source), diagnostics_(diagnostics) {}

  bool has_root() const { return has_root_; }
  Value take() { return std::move(root_); }
  /// The innermost list or mapping that is still open, or null.
  const Value* open() const { return frames_.empty() ? nullptr : &frames_.back().value; }

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

 private:
  struct Frame {
    Value value;
    YAML::anchor_t anchor = 0;
    bool is_flow = false;
    bool has_key = false;
    Value key;
    std::vector<Value> merges;                   ///< values of `<<`
    std::unordered_map<std::string, int> lines;  ///< of the keys so far
  };
  struct Anchored {
    Value value;
    size_t nodes = 0;
    int height = 0;
    bool complete = false;
  };

  size_t offset_of(const YAML::Mark& mark) const { return source_.offset(mark.line, mark.column); }
  bool expects_key() const;
  void place(Value* value, size_t offset, size_t bytes) const;
  void begin(Value::Kind kind, const YAML::Mark& mark, const std::string& tag,
             YAML::anchor_t anchor);
  void end();
  void add(Value value, YAML::anchor_t anchor);
  void add_key(Value key);
  void count(size_t nodes, const Value& at);
  void check_tag(const std::string& tag, const Value& at) const;
  void place_null(Value* value, size_t mark) const;
  void merge_into(Value* map, const Value& merge);
  [[noreturn]] void stop(const std::string& code, const std::string& message, const Value& at,
                         const std::string& help = "") const;

  const Source& source_;
  std::vector<Diagnostic>* diagnostics_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  Value root_;
  bool has_root_ = false;
  int documents_ = 0;
  size_t nodes_ = 0;
};

}  // namespace penstock::config
