// A study's points: what they are, and what is refused before anything runs.
#include "sweep/expand.h"

#include <gmock/gmock.h>
#include <set>

#include "sweep/study_fixture.h"

namespace edgenpu::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Expand = test::StudyFolder;
using result::Cell;

std::vector<std::string> texts(const Point& p) {
  std::vector<std::string> t;
  for (const Cell& c : p.inputs) t.push_back(result::to_text(c));
  return t;
}

const std::string kHead = "study: small\nhardware: $H/npu/npu-raiderchip-asic.yaml\nmodel: smollm2-135m\n";

TEST_F(Expand, CrossesGridAxesWithTheFirstSlowest) {
  const Expansion e = expand("axes: {grid: {matrix.engines: [2, 4], memory.refresh: [ab, none]}}\n");
  ASSERT_EQ(e.points().size(), 4u);
  EXPECT_THAT(e.columns(), ElementsAre("matrix_engines", "memory_refresh"));
  EXPECT_THAT(texts(e.points()[0]), ElementsAre("2", "ab"));
  EXPECT_THAT(texts(e.points()[1]), ElementsAre("2", "none"));
  EXPECT_THAT(texts(e.points()[2]), ElementsAre("4", "ab"));
}

TEST_F(Expand, ResolvesAPointToItsHardwareAndWorkload) {
  const Expansion e = expand("axes: {grid: {scratchpad.size: [1 MiB], context: [16, 32]}}\n");
  const Resolved r = e.resolve(e.points()[1]);
  EXPECT_EQ(config::find_path(r.tree, "scratchpad.size")->text(), "1 MiB");
  EXPECT_EQ(r.request.context, 32);
  EXPECT_EQ(r.request.model, "smollm2-135m");
}

TEST_F(Expand, ZipsListsThatAdvanceTogether) {
  const Expansion e = expand("axes: {zip: [{memory.channels: [4, 16], memory.capacity: [8 GiB, 32 GiB]}]}\n");
  ASSERT_EQ(e.points().size(), 2u);
  EXPECT_THAT(texts(e.points()[1]), ElementsAre("16", "34359738368"));
}

TEST_F(Expand, RefusesZippedListsOfDifferentLengths) {
  EXPECT_THAT(
      refusal("axes: {zip: [{memory.channels: [4, 16], memory.capacity: [8 GiB]}]}\n"),
      HasSubstr("study.yaml:5:58: 'memory.capacity' has 1 values and the first list of this zip has 2"));
}

TEST_F(Expand, DerivesValuesFromOthers) {
  const Expansion e = expand(
      "axes: {grid: {memory.channels: [4, 16]}}\nderive: {memory.capacity: \"printf('%d GiB', 2 * "
      "memory_channels)\"}\n");
  EXPECT_THAT(e.columns(), ElementsAre("memory_channels", "memory_capacity_B"));
  EXPECT_EQ(config::find_path(e.resolve(e.points()[1]).tree, "memory.capacity")->text(), "32 GiB");
}

TEST_F(Expand, LeavesExcludedPointsOut) {
  const Expansion e = expand(
      "axes: {grid: {matrix.engines: [2, 4], context: [1, 2, 3]}}\nexclude: [matrix_engines = 2 and context "
      "> 1]\n");
  EXPECT_EQ(e.points().size(), 4u);
  EXPECT_EQ(e.excluded(), 2);
  EXPECT_EQ(e.points()[1].number, 2);
  EXPECT_THAT(texts(e.points()[1]), ElementsAre("4", "1"));
}

TEST_F(Expand, KeepsPointsThatBreakAConstraintOnInputs) {
  const Expansion e =
      expand("axes: {grid: {matrix.engines: [2, 4]}}\nconstraints: [matrix_engines * clock_Hz <= 2e9]\n");
  EXPECT_EQ(e.points()[0].broken, "");
  EXPECT_EQ(e.points()[1].broken, "matrix_engines * clock_Hz <= 2e9");
}

TEST_F(Expand, RefusesAPathThatDoesNotExistAndNamesTheNearest) {
  EXPECT_THAT(
      refusal("axes: {grid: {matrix.engine: [2, 4]}}\n"),
      HasSubstr(
          "study.yaml:5:15: the resolved hardware has no 'matrix.engine'; did you mean 'matrix.engines'?"));
}

TEST_F(Expand, AcceptsAKeyWithADefaultThatTheFileLacks) {
  EXPECT_EQ(refusal("axes: {grid: {memory.row_cost: [true, false]}}\n"), "");
}

TEST_F(Expand, RefusesAnAxisThatChangesNothing) {
  EXPECT_THAT(refusal("axes: {grid: {clock: [1000 MHz], matrix.engines: [2, 4]}}\n"),
              HasSubstr("study.yaml:5:15: the axis 'clock' changes nothing"));
  EXPECT_THAT(refusal("axes: {grid: {detail: [row], matrix.engines: [2, 4]}}\n"),
              HasSubstr("the axis 'detail' changes nothing"));
}

// As `run` does.
TEST_F(Expand, RefusesOptionsThatDoNotGoWithThePhase) {
  const auto workload = [&](const std::string& text) {
    return study_refusal(kHead + "workload: {" + text + "}\naxes: {grid: {matrix.engines: [2, 4]}}\n");
  };
  EXPECT_THAT(workload("prompt: 64"), HasSubstr("s.yaml:4:20: a decode step has no new prompt"));
  EXPECT_THAT(workload("phase: prefill, batch: 4"),
              HasSubstr("s.yaml:4:35: a prefill step is of one request"));
  EXPECT_THAT(workload("phase: prefill, batch: 1"), HasSubstr("a prefill step is of one request"));
  EXPECT_EQ(workload("phase: prefill, prompt: 16"), "");
  EXPECT_EQ(workload("phase: decode, batch: 2"), "");
  EXPECT_THAT(refusal("axes: {grid: {prompt: [16, 32]}}\n"),
              HasSubstr("study.yaml:5:24: a decode step has no new prompt"));
  EXPECT_THAT(refusal("axes: {grid: {phase: [prefill], batch: [4]}}\n"),
              HasSubstr("study.yaml:5:41: a prefill step"));
  EXPECT_THAT(refusal("axes: {grid: {phase: [decode, prefill], batch: [4]}}\n"), HasSubstr("a prefill step"));
  EXPECT_THAT(refusal("derive: {prompt: 16}\naxes: {grid: {matrix.engines: [2, 4]}}\n"),
              HasSubstr("study.yaml:5:18: "));
  EXPECT_EQ(refusal("axes: {zip: [{phase: [decode, prefill], batch: [4, 1]}]}\n"), "");
}

TEST_F(Expand, TakesAPromptForThePointsThatHaveOne) {
  EXPECT_EQ(study_refusal(kHead + "workload: {prompt: 16}\naxes: {grid: {phase: [decode, prefill]}}\n"), "");
}

TEST_F(Expand, RefusesToSetOneThingTwiceAndNamesBothPlaces) {
  EXPECT_THAT(refusal("set: {dma.channels: 2}\naxes: {grid: {dma.channels: [4, 8]}}\n"),
              HasSubstr("study.yaml:6:15: 'dma.channels' is set here and, as a value for all points, at "));
  EXPECT_THAT(refusal("set: {dma.channels: 2}\naxes: {grid: {dma.channels: [4, 8]}}\n"),
              HasSubstr("study.yaml:5:21; leave"));
  EXPECT_THAT(refusal("axes: {grid: {repeat: [memo, full]}}\n"), HasSubstr("'repeat' is set here"));
  EXPECT_THAT(refusal("axes: {grid: {model: [llama-3.2-1b]}}\n"), HasSubstr("'model' is set here"));
  EXPECT_THAT(refusal("set: {memory: {channels: 4}}\naxes: {grid: {memory.channels: [4, 8]}}\n"),
              HasSubstr("'memory.channels' is set here and 'memory', which contains it,"));
  EXPECT_THAT(
      refusal("set: {memory.channels: 4, memory: {channels: 8}}\naxes: {grid: {matrix.engines: [4, 8]}}\n"),
      HasSubstr("'memory' is set here and 'memory.channels', a part of it,"));
  EXPECT_THAT(refusal("derive: {dma.channels: 2}\naxes: {grid: {dma.channels: [4, 8]}}\n"),
              HasSubstr("study.yaml:5:24: 'dma.channels' is set here and, as an axis, at "));
  EXPECT_THAT(
      refusal("set: {dma.channels: 2}\nderive: {dma.channels: 2}\naxes: {grid: {matrix.engines: [4, 8]}}\n"),
      HasSubstr("study.yaml:6:24: "));
}

TEST_F(Expand, RefusesAConstraintThatSaysNothingAboutAnyPoint) {
  const std::string two =
      "study: h\nmodel: smollm2-135m\naxes: {zip: [{hardware: [$H/npu/npu-raiderchip-asic.yaml, "
      "$H/cpu/cpu-rk3588.yaml]}]}\n";
  EXPECT_EQ(study_refusal(two + "constraints: [dma_channels < 100]\n"), "") << "of the CPU it says nothing";
  EXPECT_THAT(study_refusal(two + "constraints: [null > 1]\n"),
              HasSubstr("s.yaml:4:15: neither true nor false at any point"));
}

TEST_F(Expand, NotesAnExclusionThatExcludesNothing) {
  const Expansion e =
      expand("axes: {grid: {dma.channels: [1, 2, 8]}}\nexclude: [dma_channels > 100, dma_channels = 2]\n");
  EXPECT_THAT(e.notes(), ElementsAre(HasSubstr("study.yaml:6:11: 'dma_channels > 100' excludes no point")));
}

TEST_F(Expand, ReadsAnAxisUnderTheNameThatItHasInTheStudy) {
  const Expansion e = expand(
      "axes: {grid: {energy.components.matrix.actions.mac_int8.value: [0.12 pJ, 0.15 pJ]}}\n"
      "constraints: [energy_components_matrix_actions_mac_int8_value_J < 0.13e-12]\n");
  EXPECT_EQ(e.points()[0].broken, "");
  EXPECT_NE(e.points()[1].broken, "");
}

TEST_F(Expand, RefusesADerivedValueOfChangingUnit) {
  EXPECT_THAT(refusal("axes: {grid: {dma.channels: [2, 4]}}\n"
                      "derive: {memory.capacity: \"iif(dma_channels = 2, '16 GiB', 4)\"}\n"),
              HasSubstr("'memory.capacity' "));
}

TEST_F(Expand, RefusesTwoPointsThatAreTheSame) {
  EXPECT_THAT(
      refusal("axes: {grid: {clock: [2 GHz, 2000 MHz]}}\n"),
      HasSubstr(
          "points 1 and 2 resolve to the same configuration: clock_Hz=2000000000; clock_Hz=2000000000"));
}

TEST_F(Expand, BlamesAWrongValueOnItsPlaceInTheStudy) {
  EXPECT_THAT(refusal("axes: {grid: {matrix.engines: [2, 0]}}\n"), HasSubstr("study.yaml:5:35: "));
  EXPECT_THAT(refusal("axes: {grid: {quant: [Q4_K_M, Q4_K_X]}}\n"), HasSubstr("study.yaml:5:31: "));
  EXPECT_THAT(study_refusal("study: m\nhardware: $H/npu/npu-raiderchip-asic.yaml\naxes: {grid: {model: "
                            "[smollm2-135m, smollm3]}}\n"),
              HasSubstr("s.yaml:3:37: "));
  EXPECT_THAT(refusal("axes: {grid: {context: [1, many]}}\n"), HasSubstr("study.yaml:5:28: "));
}

TEST_F(Expand, RefusesAnExpressionWithAnUnknownColumnAndNamesTheNearest) {
  EXPECT_THAT(
      refusal("axes: {grid: {matrix.engines: [2, 4]}}\nexclude: [matrix_engine > 2]\n"),
      HasSubstr(
          "study.yaml:6:11: 'matrix_engine > 2': no column 'matrix_engine'; did you mean 'matrix_engines'?"));
}

TEST_F(Expand, RefusesAnEmptyStudy) {
  EXPECT_THAT(refusal("axes: {grid: {matrix.engines: [2, 4]}}\nexclude: [1]\n"),
              HasSubstr("no points: 2 of 2 are excluded"));
}

TEST_F(Expand, RefusesUnknownKeysAndNamesTheNearest) {
  EXPECT_THAT(refusal("axis: {}\naxes: {}\n"), HasSubstr("study.yaml:5:1: unknown key 'axis' in the study"));
  EXPECT_THAT(refusal("axes: {grids: {}}\n"), HasSubstr("did you mean 'grid'?"));
}

TEST_F(Expand, GivesAPointTheSameIdWhereverItStands) {
  const Expansion a = expand("axes: {grid: {matrix.engines: [2, 4]}}\n");
  const Expansion b = expand("axes: {grid: {matrix.engines: [4, 16]}}\n");
  EXPECT_EQ(a.points()[1].id, b.points()[0].id);
  EXPECT_NE(a.hash(), b.hash());
}

TEST_F(Expand, GivesAnotherToolOtherIds) {
  const Study study = read_study(study_file("axes: {grid: {matrix.engines: [2, 4]}}\n"));
  EXPECT_NE(Expansion(study, EDGENPU_SOURCE_DIR, "1").points()[0].id,
            Expansion(study, EDGENPU_SOURCE_DIR, "2").points()[0].id);
}

TEST_F(Expand, RandomPointsFollowFromTheSeedAndDiffer) {
  const std::string form =
      "axes: {random: {points: 20, seed: %, over: {matrix.engines: {from: 1, to: 64}, "
      "clock: {from: 500 MHz, to: 2 GHz, step: 100 MHz}}}}\n";
  const auto with_seed = [&](const std::string& seed) {
    std::string text = form;
    return expand(text.replace(text.find('%'), 1, seed));
  };
  EXPECT_EQ(with_seed("1").hash(), with_seed("1").hash());
  EXPECT_NE(with_seed("1").hash(), with_seed("2").hash());
  std::set<std::string> ids;
  const Expansion e = with_seed("1");
  for (const Point& p : e.points()) ids.insert(p.id);
  EXPECT_EQ(ids.size(), 20u);
}

TEST_F(Expand, AHypercubeHitsEachStratumOnce) {
  const Expansion e = expand(
      "axes: {latin_hypercube: {points: 8, seed: 3, over: {matrix.engines: {from: 1, to: 16}, "
      "context: {from: 1, to: 800}}}}\n");
  std::set<std::int64_t> strata;
  for (const Point& p : e.points()) strata.insert((std::get<std::int64_t>(p.inputs[1]) - 1) / 100);
  EXPECT_EQ(strata.size(), 8u);
}

TEST_F(Expand, RefusesMoreRandomPointsThanThereAre) {
  EXPECT_THAT(refusal("axes: {random: {points: 3, seed: 1, over: {matrix.engines: [2, 4]}}}\n"),
              HasSubstr("cannot draw 3 different points from these values: there are 2"));
}

// Known before anything is drawn: a million draws of a million would take hours.
TEST_F(Expand, RefusesAnImpossibleNumberOfSamplesAtOnce) {
  for (const char* kind : {"random", "latin_hypercube"})
    for (const char* over : {"[1, 2, 4]", "{from: 1, to: 50}", "{from: 1, to: 2, step: 0.5}"})
      EXPECT_THAT(refusal(std::string("axes: {") + kind +
                          ": {points: 1000000, seed: 1, over: {matrix.engines: " + over + "}}}\n"),
                  HasSubstr("cannot draw 1000000 different points"));
  EXPECT_THAT(
      refusal(
          "axes: {random: {points: 1000000, seed: 1, over: {a.b: [1, 2], c: {from: 1, to: 9, stp: 1}}}}\n"),
      HasSubstr("unknown key 'stp'"));
}

TEST_F(Expand, RefusesARangeOfTooManySteps) {
  EXPECT_THAT(refusal("axes: {grid: {clock: {from: 1 Hz, to: 1 GHz, step: 0.001 Hz}}}\n"),
              HasSubstr("more than 1000000 values"));
  EXPECT_THAT(refusal("axes: {grid: {matrix.engines: {from: 1, to: 8, step: 1, scale: log}}}\n"),
              HasSubstr("'scale: log' goes with 'steps'"));
}

TEST_F(Expand, TakesAModelFileBesideTheStudy) {
  EXPECT_THAT(
      study_refusal("study: m\nhardware: $H/npu/npu-raiderchip-asic.yaml\nmodel: none.gguf\naxes: {grid: "
                    "{matrix.engines: [2, 4]}}\n"),
      HasSubstr(path("none.gguf")));
}

}  // namespace
}  // namespace edgenpu::sweep
