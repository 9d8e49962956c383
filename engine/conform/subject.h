#pragma once
/// One operator in a small pipeline with made-up inputs: what every check runs.

#include <memory>
#include <string>
#include <vector>

#include "conform/material.h"
#include "penstock/pipeline.h"
#include "plan/plan.h"
#include "plan/registry.h"

namespace penstock::conform {

/// How a pipeline around the subject differs from check to check.
struct Setting {
  uint64_t seed = 1;
  int concurrency = 1;
  uint64_t items = 64;       ///< of each source
  uint64_t odd_every = 0;    ///< see make_feed()
  bool skip_errors = false;  ///< on_error of the subject
};

class Subject {
 public:
  /// The parameters are those of the schema's example; a path is a folder with class folders of
  /// small pictures. `set` overrides: "PARAM=VALUE". The registry must outlive it.
  Subject(const Registry& registry, const std::string& op, const std::vector<std::string>& set);
  ~Subject();
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  /// What is wrong with the example or an override, or "".
  const std::string& fault() const { return fault_; }
  /// Looks for inputs that the operator takes; the reason why there are none, or "".
  std::string find_inputs();
  const Schema& schema() const { return entry_.def.schema; }
  /// Empty for a source.
  const std::vector<MadeField>& inputs() const { return inputs_; }
  /// Names of parameters that are made-up folders.
  const std::vector<std::string>& made_paths() const { return made_paths_; }

  /// The pipeline, or null and the reasons.
  std::shared_ptr<const Plan> plan(const Setting& setting, std::string* reasons) const;
  /// The subject in such a plan.
  static const PlanNode& node_of(const Plan& plan);
  /// What feeds it in such a plan, at that position of the made-up source.
  static Item input_of(const Plan& plan, uint64_t position);

 private:
  std::string read_example(const std::vector<std::string>& set);
  void replace_paths(const std::vector<std::string>& set);
  std::string make_folder();
  std::string fault_of_params() const;
  std::string try_inputs();
  std::vector<std::pair<std::string, std::string>> wanted_fields() const;
  bool has_inputs() const { return schema().kind() != Kind::kSource; }

  const Registry& registry_;
  const Registry::Entry& entry_;
  NodeSpec node_;
  std::string fault_;
  std::string folder_;  ///< made for a path, or empty
  std::vector<std::string> made_paths_;
  std::vector<MadeField> inputs_;
};

}  // namespace penstock::conform
