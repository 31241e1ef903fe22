#include "workload/import_topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"
#include "workload/trace_file.h"

namespace edgenpu::workload {
namespace {

using testing::HasSubstr;

constexpr const char* kConv =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n";

const MatMul& product(const Trace& t, std::size_t i) {
  return std::get<MatMul>(t.operators.at(i).body);
}

std::string refusal(const std::string& text, Format format = Format::F16) {
  return message_of<InputError>([&] { parse_topology(text, "t.csv", format); });
}

TEST(Topology, TurnsEachLineOfGemmsIntoAProduct) {
  const Trace t = parse_topology("Layer, M, N, K,\na, 2, 64, 32,\nb, 3, 5, 64\n", "dir/net.csv", Format::F16);
  EXPECT_EQ(t.model, "net");
  ASSERT_EQ(t.operators.size(), 2u);
  EXPECT_EQ(total_macs(t), Macs(2 * 64 * 32 + 3 * 5 * 64));
  EXPECT_EQ(t.operators[1].needs, std::vector<int>{0});
  EXPECT_EQ(t.resident_weights, Bytes(2 * (64 * 32 + 5 * 64)));
  // The rows of the first product lie in memory: two of 32 elements.
  EXPECT_EQ(requested_read(t), t.resident_weights + Bytes(2 * 2 * 32));
}

TEST(Topology, TurnsConvolutionsIntoTheProductsOfTheirPatches) {
  const Trace t = parse_topology(std::string(kConv) + "c1, 227, 227, 11, 11, 3, 96, 4,\nc2,8,10,3,3,4,6,2\n",
                                 "n.csv", vocabulary::format_named("W8"));
  EXPECT_EQ(product(t, 0).m, 55 * 55);
  EXPECT_EQ(product(t, 0).n, 96);
  EXPECT_EQ(product(t, 0).k, 363);
  EXPECT_EQ(product(t, 1).m, 4 * 5) << "ceil((8-3+2)/2) x ceil((10-3+2)/2)";
}

TEST(Topology, AcceptsTwoStridesSparsityOneToOneCarriageReturnsAndRepeatedNames) {
  const Trace t = parse_topology(
      "\xEF\xBB\xBFLayer,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Stride "
      "Height,"
      "Stride Width,Sparsity,\r\nx,9,9,3,3,1,4,2,3,1:1,\r\n\r\nx,9,9,3,3,1,4,1,1,1:1,\r\n",
      "n.csv", Format::F16);
  ASSERT_EQ(t.operators.size(), 2u);
  EXPECT_EQ(product(t, 0).m, 4 * 3);
  EXPECT_EQ(t.operators[1].name, "x#2");
  EXPECT_EQ(write_trace(parse_trace(write_trace(t), "n")), write_trace(t));
}

TEST(Topology, OfTheRepositoryHasItsKnownProducts) {
  EXPECT_EQ(
      total_macs(import_topology(kDataDir + "/traces/scalesim/llama-3.1-8b-layer-gemm.csv", Format::Q4_K)),
      Macs(std::int64_t{128} * 4096 * (2 * 4096 + 2 * 1024 + 3 * 14336)));
  // Without groups: 105 + 448 + 150 + 224 + 150 million.
  EXPECT_EQ(total_macs(import_topology(kDataDir + "/traces/scalesim/alexnet-conv.csv", Format::F16)),
            Macs(3025 * 96 * 363 + 729LL * 256 * 2400 + 169LL * 384 * 2304 + 169LL * 384 * 3456 +
                 169LL * 256 * 3456));
}

TEST(Topology, RefusesBadLinesWithTheirPositions) {
  EXPECT_THAT(refusal(""), HasSubstr("t.csv:1:1: no header; a topology starts with 'Layer, M, N, K'"));
  EXPECT_THAT(refusal("Layer, M, N\n"), HasSubstr("t.csv:1:1: unknown header"));
  EXPECT_THAT(refusal("Layer, M, N, K\n"), HasSubstr("no layers below the header"));
  const std::string message = refusal("Layer, M, N, K\na, 1, x, 3\nb, 1, 2\nc, 0, 2, 99999999999999999999\n");
  EXPECT_THAT(message, HasSubstr("t.csv:2:7: 'x'; a whole number from 1 to 1152921504606846976 is allowed"));
  EXPECT_THAT(message, HasSubstr("t.csv:3:1: 3 cells; 4 are needed"));
  EXPECT_THAT(message, HasSubstr("t.csv:4:4: '0'"));
  EXPECT_THAT(message, HasSubstr("t.csv:4:10: '99999999999999999999'"));
  EXPECT_THAT(refusal(std::string(kConv) + "c, 4, 9, 5, 3, 1, 1, 1\n"),
              HasSubstr("t.csv:2:10: a filter of 5 on an input of 4"));
  EXPECT_THAT(refusal("Layer, M, N, K\na, 1, 1, 100\n", Format::Q4_K),
              HasSubstr("rows of 100 weights are not whole blocks of Q4_K (256); F16 and W8 fit any row"));
  for (const char* bad : {"2", "4:2", "0:4", "2:", ":4", "2:4:8", "2 :4", "1:65537"})
    EXPECT_THAT(refusal("Layer, M, N, K, Sparsity\na, 1, 1, 4, " + std::string(bad) + ",\n"),
                HasSubstr("t.csv:2:13: sparsity '" + std::string(bad) + "'"));
  EXPECT_THAT(refusal("a, 1, 2, 3\nb, 1, 2, 3\n"), HasSubstr("t.csv:1:1: the first line is a layer"));
}

TEST(Topology, RefusesProductsThatLeave64Bits) {
  std::string text = "Layer, M, N, K\n";
  for (int i = 0; i < 4; ++i) text += "big, 1048576, 1048576, 1048576\n";
  EXPECT_THAT(refusal(text), HasSubstr("leave 64 bits"));
  EXPECT_EQ(product(parse_topology("Layer,M,N,K\na,4186116,64,9\n", "n.csv", Format::F16), 0).m, 4186116);
  const std::string most = "1152921504606846976";
  const std::string huge = most + "," + most;
  EXPECT_THAT(refusal(std::string(kConv) + "c," + huge + ",1,1," + huge + ",1,\n"),
              HasSubstr("leave 64 bits"));
  EXPECT_THAT(refusal(std::string(kConv) + "DP," + huge + "," + huge + "," + huge + "," + most + ",\n"),
              HasSubstr("leave 64 bits"));
  EXPECT_THAT(refusal("Layer,M,N,K,Batch size\na,2,2,2," + most + "\nb," + huge + "," + most + "\n"),
              HasSubstr("leave 64 bits"));
}

TEST(Topology, ReadsWhatScaleSimReadsBeyondItsOwnFormat) {
  const std::string tests = kDataDir + "/tests/data/topologies/";
  const auto products = [&](const std::string& file) {
    const Trace t = import_topology(tests + file, Format::F16);
    std::vector<std::vector<std::int64_t>> all;
    for (std::size_t i = 0; i < t.operators.size(); ++i)
      all.push_back({product(t, i).m, product(t, i).n, product(t, i).k, product(t, i).copies});
    return all;
  };
  using Products = std::vector<std::vector<std::int64_t>>;
  EXPECT_EQ(products("blank-rows-and-comments.csv"), (Products{{144, 8, 36, 1}, {100, 1, 9, 1}}));
  EXPECT_EQ(products("names-of-its-own.csv"), (Products{{5000000, 64, 9, 1}}));
  EXPECT_EQ(products("tabs.tsv"), (Products{{144, 8, 36, 1}}));
  EXPECT_EQ(products("empty-batch.csv"), (Products{{144, 8, 36, 1}, {3 * 144, 8, 36, 1}}));
  EXPECT_EQ(products("depthwise.csv"), (Products{{100, 1, 9, 16}}));
  EXPECT_EQ(products("sparsity-without-a-name.csv"), (Products{{3, 5, 10, 1}, {3, 5, 11, 1}}));
}

TEST(Topology, KeepsTheSparseWeightsOfARowWithTheirIndices) {
  const MatMul p = product(parse_topology("L,M,N,K\na,3,5,11,3:5,\n", "n.csv", Format::F16), 0);
  EXPECT_EQ(p.k, 2 * 3 + 1);
  EXPECT_EQ(p.inputs, 11);
  EXPECT_EQ(p.index_bits, 3);
  EXPECT_EQ(product(parse_topology("L,M,N,K\na,3,5,11,4:4,\n", "n.csv", Format::F16), 0).inputs, 0);
}

// Each cell, changed to another valid value, changes the trace; changed to nonsense, it is an error.
void expect_every_cell_used(const std::string& header, const std::vector<std::string>& cells,
                            const std::vector<std::string>& others) {
  const auto text = [&](std::size_t changed, const std::string& to) {
    std::string row;
    for (std::size_t i = 0; i < cells.size(); ++i) row += (i == changed ? to : cells[i]) + ",";
    return header + "\n" + row + "\n";
  };
  const std::string before = write_trace(parse_topology(text(99, ""), "n.csv", Format::F16));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_NE(write_trace(parse_topology(text(i, others[i]), "n.csv", Format::F16)), before) << header << i;
    if (i > 0) {
      EXPECT_THAT(refusal(text(i, "many")), HasSubstr("'many'")) << header << i;
    }
  }
}

TEST(Topology, UsesEveryCellOfEveryColumn) {
  expect_every_cell_used("Layer,M,N,K,Batch size,Sparsity", {"a", "2", "3", "8", "2", "1:1"},
                         {"b", "3", "4", "9", "1", "1:2"});
  expect_every_cell_used(
      std::string(kConv, std::string(kConv).size() - 9) + "Stride Height,Stride Width,Sparsity,Batch",
      {"a", "9", "11", "2", "3", "4", "5", "2", "3", "2:4", "2"},
      {"b", "19", "21", "1", "2", "8", "6", "1", "2", "1:4", "3"});
}

TEST(Topology, RefusesColumnsInAnotherOrderOrWithoutAMeaning) {
  EXPECT_THAT(refusal("Layer,M,K,N\na,1,2,3\n"), HasSubstr("t.csv:1:9: column 3 is named 'K'"));
  std::string swapped = kConv;
  swapped.replace(swapped.find("Num Filter"), 10, "Channels");
  swapped.replace(swapped.find("Channels"), 8, "Num Filter");
  EXPECT_THAT(refusal(swapped + "c,8,8,3,3,4,8,1,\n"), HasSubstr("column 6 is named 'Num Filter'"));
  const std::string padded = std::string(kConv) + "c,8,8,3,3,4,8,1,1,\n";
  EXPECT_THAT(refusal(padded), HasSubstr("t.csv:2:17: '1' in column 9, which the header does not name"));
  std::string named = padded;
  named.insert(named.find(",\n") + 1, "Pad,");
  EXPECT_THAT(refusal(named), HasSubstr("'1' in column 9, 'Pad'"));
}

}  // namespace
}  // namespace edgenpu::workload
