// The C form in C++: a histogram of a uint8 picture. No C++ object crosses, so that the library
// works with an engine of another Penstock or compiler, and with any torch. Nothing may be thrown
// out of a function that the engine calls: `guarded` sees to that.
#include <penstock/c_plugin.h>

#include <array>
#include <exception>
#include <new>
#include <stdexcept>

namespace {

constexpr int64_t kBins = 256;

struct Histogram {
  int32_t image = -1, histogram = -1;
};

template <typename Body>
int guarded(const PenstockHost* host, PenstockFiring* firing, Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return host->fail_of_machine(firing, "out of memory");
  } catch (const std::exception& error) {
    return host->fail(firing, error.what());
  } catch (...) {
    return host->fail(firing, "something that is no std::exception was thrown");
  }
}

void* create(const PenstockHost*, PenstockSetup*) { return new (std::nothrow) Histogram; }
void destroy(void* self) { delete static_cast<Histogram*>(self); }

int describe(void* self, const PenstockHost* host, PenstockSetup* setup) {
  auto& it = *static_cast<Histogram*>(self);
  it.image = host->require(setup, "image", "");
  it.histogram = host->add(setup, "histogram", {kDLInt, 64, 1}, 1, &kBins, PENSTOCK_NO_LAYOUT);
  return it.image < 0 || it.histogram < 0 ? -1 : 0;
}

void count(const DLTensor& tensor, int32_t dim, const uint8_t* at,
           std::array<int64_t, kBins>* bins) {
  if (dim == tensor.ndim) {
    ++(*bins)[*at];
    return;
  }
  for (int64_t i = 0; i < tensor.shape[dim]; ++i) {
    count(tensor, dim + 1, at + i * tensor.strides[dim], bins);
  }
}

int process(void* self, const PenstockHost* host, PenstockFiring* firing) {
  return guarded(host, firing, [&] {
    const auto& it = *static_cast<Histogram*>(self);
    DLTensor image, out;
    if (host->input(firing, it.image, 0, &image) != 0) return -1;
    if (image.dtype.code != kDLUInt || image.dtype.bits != 8) {
      throw std::invalid_argument("'image' is no uint8 picture");
    }
    std::array<int64_t, kBins> bins{};
    count(image, 0, static_cast<const uint8_t*>(image.data) + image.byte_offset, &bins);
    if (host->output(firing, it.histogram, {kDLInt, 64, 1}, 1, &kBins, PENSTOCK_NO_LAYOUT, &out) !=
        0) {
      return -1;
    }
    for (int64_t i = 0; i < kBins; ++i) {
      static_cast<int64_t*>(out.data)[i] = bins[static_cast<size_t>(i)];
    }
    return 0;
  });
}

constexpr PenstockField kReads[] = {{"image", "uint8 picture"}, {nullptr, nullptr}};
constexpr PenstockField kWrites[] = {{"histogram", "int64 [256]: how often each value occurs"},
                                     {nullptr, nullptr}};
constexpr PenstockOperator kHistogram = {PENSTOCK_OPERATOR_SIZES,
                                         .kind = PENSTOCK_MAP,
                                         .where = PENSTOCK_CPU,
                                         .state = PENSTOCK_STATELESS,
                                         .flags = 0,
                                         .name = "c_histogram",
                                         .doc = "Counts how often each value occurs in a picture.",
                                         .example = "{op: c_histogram}",
                                         .params = nullptr,
                                         .reads = kReads,
                                         .writes = kWrites,
                                         .create = create,
                                         .describe = describe,
                                         .destroy = destroy,
                                         .process = process,
                                         .size = nullptr,
                                         .batch_size = nullptr,
                                         .open = nullptr,
                                         .next = nullptr,
                                         .close = nullptr};
constexpr const PenstockOperator* kOperators[] = {&kHistogram, nullptr};

}  // namespace

PENSTOCK_C_PLUGIN("c_histogram", "1.0.0", "the Penstock authors", "Apache-2.0", kOperators)
