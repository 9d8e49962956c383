// Pulls the batches of a pipeline as at::Tensors and prints where the time went:
//   pull_batches [PIPELINE.yaml]
#include <penstock/pipeline.h>
#include <penstock/torch.h>

#include <cstdio>
#include <iostream>

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "graphs/quickstart.yaml";
  try {
    const penstock::Pipeline pipeline = penstock::Pipeline::load(path);
    penstock::Run run = pipeline.start({.batches = 20});
    for (;;) {
      const penstock::Next next = run.next();
      if (next.kind == penstock::Next::Kind::kEnd) break;
      if (next.kind != penstock::Next::Kind::kBatch) continue;  // an epoch ends
      for (const std::string& name : next.batch.names()) {
        const auto* tensor = std::get_if<penstock::Tensor>(&next.batch.field(name));
        if (tensor == nullptr) continue;  // a list of texts
        const at::Tensor values = penstock::to_torch(*tensor);
        std::printf("%s: mean %.3f  ", name.c_str(), values.mean(at::kFloat).item<double>());
      }
      std::printf("(%llu samples)\n", static_cast<unsigned long long>(next.batch.size()));
    }
    std::cout << penstock::format_text(run.report());
  } catch (const std::exception& error) {  // InvalidPipeline, RunError
    std::cerr << error.what() << '\n';
    return 1;
  }
}
