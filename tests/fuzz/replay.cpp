// Runs a fuzz target without a fuzzer, for CI: every file of its seed corpus, then mutations of them by a fixed seed
// for a few seconds of CPU time. What it finds is found again by the same command.
//   replay CORPUS_FOLDER SECONDS [options of the target]
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace {

namespace fs = std::filesystem;

std::uint64_t state = 0x9E3779B97F4A7C15;
std::size_t below(std::size_t n) {  // xorshift64*, Vigna 2016
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return n == 0 ? 0 : static_cast<std::size_t>((state * 0x2545F4914F6CDD1D) >> 33) % n;
}

const std::string* current = nullptr;

// Leaves the input that was running beside the test, so that it can become a seed.
void save_finding(int signal) {
  std::ofstream("fuzz_finding", std::ios::binary) << *current;
  std::fprintf(stderr, "signal %d; the input is in fuzz_finding\n", signal);
  std::_Exit(1);
}

void run(const std::string& input) {
  current = &input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string mutated(std::string s, const std::string& other) {
  for (std::size_t edits = 1 + below(4); edits > 0 && !s.empty(); --edits) {
    const std::size_t at = below(s.size());
    switch (below(5)) {
      case 0:
        s[at] = static_cast<char>(below(256));
        break;
      case 1:
        s.erase(at, 1 + below(16));
        break;
      case 2:
        s.insert(at, s.substr(below(s.size()), below(32)));
        break;
      case 3:
        s.resize(at);
        break;
      default:
        s.insert(at, other.substr(below(other.size()), below(64)));
        break;
    }
  }
  return s;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
  for (const int s : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) std::signal(s, save_finding);
  std::vector<std::string> seeds;
  for (const auto& entry : fs::recursive_directory_iterator(argv[1])) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    seeds.push_back(text.str());
  }
  if (seeds.empty()) return 2;
  for (const std::string& seed : seeds) run(seed);
  const std::clock_t end = std::clock() + std::atoi(argv[2]) * CLOCKS_PER_SEC;
  std::size_t runs = 0;
  for (; std::clock() < end; ++runs) run(mutated(seeds[below(seeds.size())], seeds[below(seeds.size())]));
  std::printf("%zu seeds, %zu mutations\n", seeds.size(), runs);
  return 0;
}
