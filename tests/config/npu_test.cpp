// The hardware mechanisms of an NPU as YAML: what may be written, and which mistakes are named.
#include "config/npu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/resolve.h"

namespace edgenpu::config {
namespace {

using ::testing::HasSubstr;

const std::string kFile = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/npu/npu-raiderchip-asic.yaml";

Npu npu_with(const std::vector<std::string>& overrides) {
  return read_npu(load_hardware_tree(kFile, overrides));
}

std::string error_of(const std::vector<std::string>& overrides) {
  try {
    npu_with(overrides);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Widths, AreWholeBytesACycle) {
  for (const char* key : {"interconnect.width", "scratchpad.width", "matrix.port"}) {
    EXPECT_THAT(error_of({std::string(key) + "=1.9 B/cycle"}),
                HasSubstr("1.9 B/cycle is not a whole number of bytes a cycle; allowed: 1 or 2 B/cycle"));
    EXPECT_EQ(error_of({std::string(key) + "=64 bit/cycle"}), "") << "8 bytes";
  }
}

TEST(AssumedSizes, AreKeysWithRanges) {
  const Npu n = npu_with({"matrix.buffer=8 KiB", "lowering.load=64 KiB", "lowering.vector_command=1 KiB"});
  EXPECT_EQ(n.matrix.buffer, Bytes(8192));
  EXPECT_EQ(n.load_size(), Bytes(65536));
  EXPECT_EQ(n.vector_command, Bytes(1024));
  EXPECT_EQ(npu_with({}).load_size(), Bytes(131072));
  EXPECT_THAT(error_of({"matrix.buffer=0 B"}), HasSubstr("'buffer'"));
  EXPECT_THAT(error_of({"lowering.load=255 B"}), HasSubstr("'load'"));
  EXPECT_THAT(error_of({"lowering.vector_command=2 GiB"}), HasSubstr("'vector_command'"));
}

TEST(AssumedSizes, OfALoadIsRefusedWhereATileIsGiven) {
  EXPECT_EQ(npu_with({"lowering.tile=4 KiB"}).load_size(), Bytes(4096));
  EXPECT_THAT(error_of({"lowering.tile=4 KiB", "lowering.load=8 KiB"}), HasSubstr("where 'tile' is auto"));
}

TEST(ScratchpadBanks, AreAtLeastAsLargeAsTheirWidth) {
  EXPECT_THAT(error_of({"scratchpad.size=1 KiB", "scratchpad.banks=65536"}),
              HasSubstr("65536 banks share 1024 B"));
}

TEST(VectorPasses, AreOneUnlessAFunctionListsThem) {
  const Npu n = npu_with({});
  EXPECT_TRUE(n.vector.passes.empty());
  EXPECT_EQ(n.vector.pipelines, 1);
  EXPECT_EQ(n.vector.operations.at(vocabulary::VectorFunction::softmax), 7);
}

TEST(VectorPasses, AddUpToTheFunctionsOperations) {
  const Npu n =
      npu_with({"vector.operations.softmax=[{operations: 1, reduce: true}, {operations: 5, write: "
                "true, reduce: true}, {operations: 1}]"});
  EXPECT_EQ(n.vector.operations.at(vocabulary::VectorFunction::softmax), 7);
  ASSERT_EQ(n.vector.passes.at(vocabulary::VectorFunction::softmax).size(), 3U);
  EXPECT_TRUE(n.vector.passes.at(vocabulary::VectorFunction::softmax)[0].reduce);
  EXPECT_TRUE(n.vector.passes.at(vocabulary::VectorFunction::softmax)[1].write);
  EXPECT_FALSE(n.vector.passes.at(vocabulary::VectorFunction::softmax)[2].reduce);
}

TEST(VectorPasses, AreRefusedWhereTheyMeanNothing) {
  EXPECT_THAT(error_of({"vector.operations.silu=[{operations: 7}]"}),
              HasSubstr("'silu' needs nothing of the whole row and takes one pass: a number; passes are for "
                        "layer_norm, quantise, rms_norm, softmax"));
  EXPECT_THAT(error_of({"vector.operations.softmax=[]"}), HasSubstr("0 passes; allowed: 1 to 8"));
  EXPECT_THAT(error_of({"vector.operations.softmax=[{operations: 3, read: false}]"}),
              HasSubstr("the first pass of 'softmax' must read"));
  EXPECT_THAT(error_of({"vector.operations.softmax=[{operations: 3, write: true}]"}),
              HasSubstr("the last pass of 'softmax' writes the result"));
  EXPECT_THAT(error_of({"vector.operations.softmax=[{operations: 3, reduces: true}]"}),
              HasSubstr("did you mean 'reduce'?"));
  EXPECT_THAT(error_of({"vector.pipelines=0"}), HasSubstr("pipelines"));
  EXPECT_THAT(error_of({"vector.pipeline=2"}), HasSubstr("did you mean 'pipelines'?"));
}

TEST(ScratchpadPorts, AreOneOfEachUnlessTheyAreNamed) {
  EXPECT_FALSE(npu_with({}).scratchpad.shared_ports);
  EXPECT_EQ(npu_with({}).scratchpad.write_ports, 1);
  EXPECT_TRUE(npu_with({"scratchpad.ports=1rw"}).scratchpad.shared_ports);
  const Scratchpad two = npu_with({"scratchpad.ports=2r1w", "scratchpad.conflicts=true"}).scratchpad;
  EXPECT_EQ(two.read_ports, 2);
  EXPECT_EQ(two.write_ports, 1);
  EXPECT_TRUE(two.conflicts);
  EXPECT_THAT(error_of({"scratchpad.ports=1wr"}), HasSubstr("1r1w, 1rw, 2rw, 2r1w, 2r2w"));
  EXPECT_THAT(error_of({"scratchpad.conflicts=some"}), HasSubstr("conflicts"));
}

TEST(DmaGather, DescribesItsListsOnlyWhereItIsOn) {
  EXPECT_FALSE(npu_with({}).dma.gather);
  const Dma dma = npu_with({"dma.gather=true", "dma.list_entry=8 B", "dma.list=scratchpad"}).dma;
  EXPECT_EQ(dma.list_entry, Bytes(8));
  EXPECT_FALSE(dma.list_in_dram);
  EXPECT_TRUE(npu_with({"dma.gather=true"}).dma.list_in_dram);
  EXPECT_THAT(error_of({"dma.list=dram"}), HasSubstr("'gather: true' is missing"));
  EXPECT_THAT(error_of({"dma.gather=true", "dma.list=ram"}), HasSubstr("scratchpad, dram"));
}

TEST(Interconnect, NamesAFirstMasterOnlyWhereThePriorityIsFixed) {
  EXPECT_EQ(npu_with({}).interconnect.arbitration, Arbitration::first_come);
  EXPECT_EQ(npu_with({"interconnect.arbitration=round_robin"}).interconnect.arbitration,
            Arbitration::round_robin);
  EXPECT_TRUE(
      npu_with({"interconnect.arbitration=fixed", "interconnect.first=store"}).interconnect.store_first);
  EXPECT_THAT(error_of({"interconnect.arbitration=fixed"}), HasSubstr("lacks the key 'first'"));
  EXPECT_THAT(error_of({"interconnect.first=load"}), HasSubstr("it needs 'arbitration: fixed'"));
  EXPECT_THAT(error_of({"interconnect.arbitration=fifo"}), HasSubstr("first_come, round_robin, fixed"));
}

TEST(CommandProcessor, HasBarriersWhereTheyAreNamed) {
  EXPECT_EQ(npu_with({}).barriers, Barriers::none);
  EXPECT_EQ(npu_with({"command_processor.barriers=operator"}).barriers, Barriers::operators);
  EXPECT_THAT(error_of({"command_processor.barriers=all"}), HasSubstr("none, layer, operator"));
}

TEST(Operands, AreOneOfThoseThatTheEnginesMultiply) {
  const Npu n = npu_with({"lowering.operands={attn_*: fp16, output: bf16}"});
  ASSERT_EQ(n.operands.size(), 2U);
  EXPECT_EQ(n.operands[0].pattern, "attn_*");
  EXPECT_EQ(n.operands[1].operands, vocabulary::Operands::bf16);
  EXPECT_THAT(
      error_of({"lowering.operands={attn_q: fp8}"}),
      HasSubstr("'lowering.operands.attn_q': found 'fp8'; the engines multiply (matrix.rate): bf16, fp16, "
                "int4_int8, int8"));
  EXPECT_THAT(error_of({"lowering.operands=fp16"}), HasSubstr("operands"));
}

TEST(Placement, NeedsTheSectionWithTheCores) {
  EXPECT_THAT(error_of({"placement.cpu=[attn_norm]"}),
              HasSubstr("'placement.cpu' names operators, but there is no section 'cpu'"));
  EXPECT_THAT(error_of({"placement.npu=[attn_norm]"}), HasSubstr("'npu'"));
}

TEST(Placement, ReadsTheCores) {
  const Npu n = read_npu(
      load_hardware_tree(std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/npu/npu-raiderchip-asic-cpu.yaml",
                         {"placement.cpu=[a, b*]"}));
  ASSERT_TRUE(n.cores);
  EXPECT_EQ(n.cores->all_lanes(), 16);
  EXPECT_DOUBLE_EQ(n.cores->rate().count(), 4 * 6 * 64 / 100e-9);
  EXPECT_EQ(n.cores->operations.at(vocabulary::VectorFunction::softmax), 20);
  ASSERT_EQ(n.placed.size(), 2U);
  EXPECT_EQ(n.placed[1].pattern, "b*");
}

}  // namespace
}  // namespace edgenpu::config
