// Trains a small convolutional network on the batches of a pipeline, on a CUDA device where there
// is one, and says where the time went:
//   train [PIPELINE.yaml] [STEPS] [TRACE.json]
// The trace has the ranges data_wait, host_to_device, forward, backward and optimizer beside the
// pipeline's nodes; ui.perfetto.dev opens it. A profiler of the device sees them as NVTX ranges.
#include <penstock/pipeline.h>
#include <penstock/torch.h>
#include <torch/torch.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <vector>

namespace {

torch::nn::Sequential make_net(int64_t classes) {
  namespace nn = torch::nn;
  const auto conv = [](int64_t in, int64_t out) {
    return nn::Conv2d(nn::Conv2dOptions(in, out, 3).stride(2).padding(1));
  };
  return nn::Sequential(conv(3, 16), nn::ReLU(), conv(16, 32), nn::ReLU(), conv(32, 64), nn::ReLU(),
                        nn::AdaptiveAvgPool2d(4), nn::Flatten(), nn::Linear(64 * 16, classes));
}

double mean_of(const std::vector<double>& values, size_t begin, size_t end) {
  double sum = 0;
  for (size_t i = begin; i < end; ++i) sum += values[i];
  return sum / static_cast<double>(end - begin);
}

int train(const std::string& path, size_t steps, const std::string& trace) {
  constexpr int64_t kClasses = 10;
  const penstock::Pipeline pipeline = penstock::Pipeline::load(path);
  penstock::StartOptions options;
  options.batches = steps;
  options.trace = trace;
  options.on_warning = [](const std::string& warning) { std::cerr << warning << '\n'; };
  penstock::Run run = pipeline.start(options);

  torch::manual_seed(17);
  // The batches decide where the work is done; torch's stream there waits for each one's copy.
  const bool cuda = torch::cuda::is_available();
  const at::Device device(cuda ? at::kCUDA : at::kCPU);
  std::optional<penstock::DeviceStream> stream;
  if (cuda) stream = penstock::device_stream(penstock::current_stream(at::Device(at::kCUDA, 0)));
  torch::nn::Sequential net = make_net(kClasses);
  net->to(device);
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(2e-3));

  std::vector<double> losses;
  for (;;) {
    penstock::Next next = stream ? run.next(*stream) : run.next();
    if (next.kind == penstock::Next::Kind::kEnd) break;
    if (next.kind != penstock::Next::Kind::kBatch) continue;
    const at::Tensor images = penstock::to_torch(next.batch.tensor("image")).to(device);
    const at::Tensor labels = penstock::to_torch(next.batch.tensor("label")).to(device);
    at::Tensor loss;
    {
      const penstock::Range range = run.range("forward");
      loss = torch::nn::functional::cross_entropy(net->forward(images), labels);
    }
    {
      const penstock::Range range = run.range("backward");
      optimizer.zero_grad();
      loss.backward();
    }
    {
      const penstock::Range range = run.range("optimizer");
      optimizer.step();
    }
    losses.push_back(
        loss.item<double>());  // waits for the device: a clock after it may be believed
    if (losses.size() % 50 == 0) {
      std::printf("step %zu: loss %.3f\n", losses.size(),
                  mean_of(losses, losses.size() - 50, losses.size()));
    }
  }
  std::cout << penstock::format_text(run.report());
  if (losses.size() < 100) return 0;
  const double before = mean_of(losses, 0, 50);
  const double after = mean_of(losses, losses.size() - 50, losses.size());
  std::printf("mean loss of the first 50 steps %.3f, of the last %.3f\n", before, after);
  return after < 0.8 * before ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return train(argc > 1 ? argv[1] : "graphs/train.yaml",
                 argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 200, argc > 3 ? argv[3] : "");
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
