// A resource for each slot: a file that is opened at a slot's first sample and closed at the end of
// the run. The same way goes for what only one thread may use: a database connection, a decoder.
#include <penstock/plugin.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace {

using namespace penstock;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class TableLookup : public Operator {
 public:
  explicit TableLookup(const Params& params)
      : path_(params.text("file")), columns_(params.integer("columns")) {}

  void infer(FieldTable& fields) override {
    row_ = fields.require("label", "");
    values_ = fields.add(
        {.name = "row", .dtype = DType::kFloat32, .shape = std::vector<int64_t>{columns_}});
  }

  // kPerSlot: this object belongs to one slot, so file_ is used by one thread at a time.
  void process(Context& ctx) override {
    const Tensor& label = ctx.tensor(row_);
    if (label.dtype() != DType::kInt64 || label.numel() != 1) {
      throw std::invalid_argument("'label' is no single int64 but " + label.describe());
    }
    if (file_ == nullptr) open();
    const int64_t row = *label.data_as<int64_t>();
    const int64_t bytes = columns_ * static_cast<int64_t>(sizeof(float));
    if (row < 0 || row >= rows_) {
      throw std::out_of_range("the table has " + std::to_string(rows_) + " rows, and row " +
                              std::to_string(row) + " is asked for");
    }
    Tensor& values = ctx.output(values_, {columns_}, DType::kFloat32);
    const bool read = fseeko(file_.get(), row * bytes, SEEK_SET) == 0 &&
                      std::fread(values.mutable_data(), values.nbytes(), 1, file_.get()) == 1;
    if (!read) throw std::runtime_error("cannot read row " + std::to_string(row));
  }

 private:
  void open() {
    file_.reset(std::fopen(path_.c_str(), "rbe"));
    // No sample is at fault when the file is not there: the run fails, whatever on_error says.
    if (file_ == nullptr) throw MachineError("cannot open '" + path_ + "'");
    fseeko(file_.get(), 0, SEEK_END);
    rows_ = ftello(file_.get()) / (columns_ * static_cast<int64_t>(sizeof(float)));
  }

  std::string path_;
  int64_t columns_, rows_ = 0;
  int row_ = -1, values_ = -1;
  std::unique_ptr<std::FILE, CloseFile> file_;
};

void register_operators(OperatorSink& sink) {
  Schema schema("table_lookup", Kind::kMap, "Adds the row of a table that the label names.");
  schema.where(Where::kBlocking)
      .state(State::kPerSlot)
      .param({.name = "file",
              .type = ParamType::kPath,
              .doc = "The table: float32 values, row after row.",
              .required = true})
      .param({.name = "columns",
              .type = ParamType::kInt,
              .doc = "Values in a row.",
              .default_value = int64_t{4},
              .unit = "values",
              .low = 1,
              .high = 1 << 20})
      .reads("label", "int64, 0-d: the number of the row")
      .writes("row", "float32 vector: the row")
      .example("{op: table_lookup, params: {file: prices.table, columns: 4}}");
  sink.add({schema, [](const Params& params) { return std::make_unique<TableLookup>(params); }});
}

}  // namespace

PENSTOCK_PLUGIN("table_lookup", "1.0.0", "the Penstock authors", "Apache-2.0", register_operators)
