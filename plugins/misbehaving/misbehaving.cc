// Operators that each break one promise, for the tests of `penstock plugin check` and of the
// engine. Nothing to copy from.
#include <fcntl.h>
#include <penstock/plugin.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace {

using namespace penstock;

bool is_odd(const Tensor& tensor) {
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    const float value = tensor.data_as<float>()[i];
    if (!(value >= 0 && value < 1)) return true;
  }
  return false;
}

/// A map over the float32 vector "x" that trusts nobody with its type; `Body` breaks the promise.
template <typename Body>
class Breaking : public Operator {
 public:
  void infer(FieldTable& fields) override {
    field_ = fields.require("x", "");
    const FieldInfo& info = fields.at(field_);
    if (info.is_text || info.dtype != DType::kFloat32) throw ParamError("", "x is no float32");
  }
  void process(Context& ctx) override { body_(ctx, ctx.tensor(field_), field_); }

 private:
  Body body_;
  int field_ = -1;
};

float* copy_of(Context& ctx, const Tensor& in, int field) {
  float* out = ctx.output(field, in.shape(), DType::kFloat32).mutable_data_as<float>();
  for (int64_t i = 0; i < in.numel(); ++i) out[i] = in.data_as<float>()[i];
  return out;
}

struct WrongShape {
  void operator()(Context& ctx, const Tensor& in, int field) const {
    float* out = ctx.output(field, {in.numel() - 1}, DType::kFloat32).mutable_data_as<float>();
    for (int64_t i = 0; i < in.numel() - 1; ++i) out[i] = 0;
  }
};

struct WrongType {
  void operator()(Context& ctx, const Tensor& in, int field) const {
    auto* out = ctx.output(field, in.shape(), DType::kInt32).mutable_data_as<int32_t>();
    for (int64_t i = 0; i < in.numel(); ++i) out[i] = 0;
  }
};

struct Counting {  // depends on what was there before
  void operator()(Context& ctx, const Tensor& in, int field) const {
    static std::atomic<int> calls{0};
    copy_of(ctx, in, field)[0] = static_cast<float>(++calls);
  }
};

struct SecretlyRandom {
  void operator()(Context& ctx, const Tensor& in, int field) const {
    copy_of(ctx, in, field)[0] = static_cast<float>(ctx.rng().uniform());
  }
};

struct SecretlyDropping {
  void operator()(Context& ctx, const Tensor&, int) const {
    if (ctx.origin().position % 2 == 1) ctx.drop();
  }
};

struct Leaking {
  void operator()(Context& ctx, const Tensor& in, int field) const {
    static void* volatile last;
    last = std::malloc(64);  // NOLINT: that is the point
    copy_of(ctx, in, field);
  }
};

struct LeavingFilesOpen {
  void operator()(Context& ctx, const Tensor& in, int field) const {
    if (ctx.origin().position % 1000 == 1) static_cast<void>(open("/dev/null", O_RDONLY));
    copy_of(ctx, in, field);
  }
};

struct ThrowingNumbers {
  void operator()(Context& ctx, const Tensor& in, int field) const {
    if (is_odd(in)) throw 42;
    copy_of(ctx, in, field);
  }
};

struct Crashing {
  void operator()(Context& ctx, const Tensor& in, int field) const {
    if (is_odd(in)) std::raise(SIGSEGV);
    copy_of(ctx, in, field);
  }
};

struct Quitting {  // as if all were well
  void operator()(Context&, const Tensor&, int) const { _exit(0); }
};

struct QuittingLate {
  void operator()(Context& ctx, const Tensor& in, int field) const {
    if (is_odd(in)) std::exit(0);
    copy_of(ctx, in, field);
  }
};

struct ClosingFiles {
  void operator()(Context& ctx, const Tensor& in, int field) const {
    for (int file = 3; is_odd(in) && file < 64; ++file) close(file);
    copy_of(ctx, in, field);
  }
};

struct ChangingInput {
  void operator()(Context& ctx, const Tensor& in, int field) const {
    copy_of(ctx, in, field);
    const_cast<float*>(in.data_as<float>())[0] += 1;  // NOLINT: that is the point
  }
};

struct LeavingProcess {  // which holds all files open
  void operator()(Context& ctx, const Tensor& in, int field) const {
    if (is_odd(in)) {
      if (fork() == 0) {
        pause();
        _exit(0);
      }
      _exit(5);
    }
    copy_of(ctx, in, field);
  }
};

struct Resentful {  // after an odd sample all others suffer
  void operator()(Context& ctx, const Tensor& in, int field) const {
    static std::atomic<bool> offended{false};
    if (is_odd(in)) offended = true;
    copy_of(ctx, in, field)[0] += offended ? 1 : 0;
  }
};

struct Dense {  // whatever the strides
  void operator()(Context& ctx, const Tensor& in, int field) const { copy_of(ctx, in, field); }
};

class DenseSum : public Collate {  // the same, of several samples
 public:
  size_t batch_size() const override { return 2; }
  bool drop_last() const override { return true; }
  void infer(FieldTable& fields) override { field_ = fields.require("x", ""); }
  void process(Context& ctx) override {
    const Tensor& first = ctx.tensor(field_);
    Tensor& out = ctx.output(field_, first.shape(), DType::kFloat32);
    for (int64_t i = 0; i < out.numel(); ++i) {
      float sum = 0;
      for (size_t sample = 0; sample < ctx.count(); ++sample) {
        const Tensor& in = ctx.tensor(field_, sample);
        if (in.numel() != out.numel()) throw std::invalid_argument("other sizes");
        sum += in.data_as<float>()[i];
      }
      out.mutable_data_as<float>()[i] = sum;
    }
  }

 private:
  int field_ = -1;
};

struct Decent {
  void operator()(Context& ctx, const Tensor& in, int field) const {
    if (!in.contiguous()) throw std::invalid_argument("no dense tensor: " + in.describe());
    copy_of(ctx, in, field);
  }
};

Schema schema_of(const char* name, const char* doc) {
  Schema schema(name, Kind::kMap, doc);
  schema.reads("x", "float32 vector").writes("x", "float32 vector");
  return schema.example(std::string("{op: ") + name + "}");
}

template <typename Body>
void add(OperatorSink& sink, Schema schema) {
  sink.add({std::move(schema), [](const Params&) { return std::make_unique<Breaking<Body>>(); }});
}

void register_operators(OperatorSink& sink) {
  add<WrongShape>(sink, schema_of("wrong_shape", "Gives one element less than it says."));
  add<WrongType>(sink, schema_of("wrong_type", "Gives integers where it says floats."));
  add<Counting>(sink, schema_of("counting", "Gives something else at each call."));
  add<SecretlyRandom>(sink, schema_of("secretly_random", "Draws numbers and does not say so."));
  add<SecretlyDropping>(sink, schema_of("secretly_dropping", "Drops and does not say so."));
  add<Leaking>(sink, schema_of("leaking", "Forgets memory."));
  add<LeavingFilesOpen>(sink, schema_of("leaving_files_open", "Forgets files."));
  add<ThrowingNumbers>(sink, schema_of("throwing_numbers", "Throws a number."));
  add<Crashing>(sink, schema_of("crashing", "Ends its process on odd samples."));
  add<Quitting>(sink, schema_of("quitting", "Ends its process with code 0."));
  add<QuittingLate>(sink, schema_of("quitting_late", "Does so on odd samples."));
  add<ClosingFiles>(sink, schema_of("closing_files", "Closes files of others."));
  add<ChangingInput>(sink, schema_of("changing_input", "Writes into its input."));
  add<LeavingProcess>(sink, schema_of("leaving_process", "Leaves a process behind."));
  add<Dense>(sink, schema_of("dense", "Reads any input as a dense one."));
  Schema sum("dense_sum", Kind::kCollate, "Adds samples, each as a dense one.");
  sum.reads("x", "float32 vector").writes("x", "float32 vector").example("{op: dense_sum}");
  sink.add({std::move(sum), [](const Params&) { return std::make_unique<DenseSum>(); }});
  add<Resentful>(sink, schema_of("resentful", "Is never the same after an odd sample."));
  Schema silent("silent", Kind::kMap, "Says too little.");
  silent.param(
      {.name = "much", .type = ParamType::kInt, .doc = "How much.", .default_value = int64_t{1}});
  add<Decent>(sink, std::move(silent));
  Schema unsaid("unsaid", Kind::kMap, "Does not say that it changes x.");
  add<Decent>(sink, unsaid.reads("x", "float32 vector").example("{op: unsaid}"));
  add<Decent>(sink, schema_of("decent", "Keeps its promises."));
}

}  // namespace

PENSTOCK_PLUGIN("misbehaving", "0.1.0", "the Penstock authors", "Apache-2.0", register_operators)
