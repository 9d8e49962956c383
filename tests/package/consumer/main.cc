// A program that embeds Penstock from its installed package.
#include <penstock/diagnostic.h>
#include <penstock/item.h>
#include <penstock/operator.h>
#include <penstock/pipeline.h>
#include <penstock/plugin.h>
#include <penstock/random.h>
#include <penstock/report.h>
#include <penstock/schema.h>
#include <penstock/spin.h>
#include <penstock/tensor.h>

#include <iostream>

int main() {
  std::cout << penstock::kVersion << ' ' << penstock::name_of(penstock::DType::kFloat32) << '\n';
  return penstock::size_of(penstock::DType::kFloat32) == 4 ? 0 : 1;
}
