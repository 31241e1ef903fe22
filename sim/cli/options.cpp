#include "cli/options.h"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/suggest.h"
#include "config/set_once.h"

namespace edgenpu::cli {

namespace {

std::string& called() {
  static std::string name = "edgenpu";
  return name;
}

// Each command of an example begins with the tool's name.
std::string pasteable(const std::string& example) {
  const std::string name = "edgenpu ";
  std::string text;
  std::istringstream lines(example);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(name);
    if (at == line.find_first_not_of(' ')) line.replace(at, name.size(), program() + " ");
    text += "  " + line.substr(line.find_first_not_of(' ')) + "\n";
  }
  return text;
}

std::vector<std::string> names_of(const po::options_description& options) {
  std::vector<std::string> names;
  for (const auto& o : options.options()) names.push_back("--" + o->long_name());
  return names;
}

void store_all(const Arguments& arguments, const po::options_description& options, po::variables_map& values,
               const po::positional_options_description& positional) {
  // Without guessing: an abbreviation that works today would change its meaning with the next option.
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    po::store(po::command_line_parser(arguments).options(options).positional(positional).style(style).run(),
              values);
    po::notify(values);
  } catch (const po::unknown_option& e) {
    const std::string name = e.get_option_name();
    throw InputError(Position{name}, "unknown option; allowed: " + join(names_of(options)) +
                                         did_you_mean(name, names_of(options)));
  } catch (const po::too_many_positional_options_error&) {
    throw InputError(Position{"command line"}, "too many arguments; see --help");
  } catch (const po::error& e) {
    throw InputError(Position{"command line"}, e.what());
  }
}

}  // namespace

void set_program(const std::string& name) {
  called() = name;
}

const std::string& program() {
  return called();
}

bool parse(const Arguments& arguments, const po::options_description& options, const std::string& usage,
           const std::string& example, po::variables_map& values,
           const po::positional_options_description& positional) {
  store_all(arguments, options, values, positional);
  if (!values.count("help")) {
    check_paths(options, values);
    return false;
  }
  std::ostringstream text;
  text << usage << "\n\n" << options << "\nExample:\n" << pasteable(example);
  std::cout << text.str();
  return true;
}

std::int64_t count_of(const po::variables_map& values, const std::string& option, std::int64_t low) {
  const std::string text = values[option].as<std::string>();
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < low)
    throw InputError(Position{"--" + option}, "'" + text + "' is not allowed; a whole number of at least " +
                                                  std::to_string(low) + " is needed");
  // Beyond any context or batch; keeps products of shapes inside 64 bits.
  constexpr std::int64_t kMost = 100'000'000;
  if (n > kMost) throw InputError(Position{"--" + option}, "'" + text + "' is too large; at most 100000000");
  return n;
}

std::string choice_of(const po::variables_map& values, const std::string& option,
                      const std::vector<std::string>& names) {
  std::string text = values[option].as<std::string>();
  for (const std::string& name : names)
    if (text == name) return text;
  throw InputError(Position{"--" + option},
                   "found '" + text + "'; allowed: " + join(names) + did_you_mean(text, names));
}

bool given(const po::variables_map& values, const std::string& option) {
  return values.count(option) > 0 && !values[option].defaulted();
}

void refuse(const po::variables_map& values, const std::vector<std::string>& options,
            const std::string& why) {
  Diagnostics out;
  for (const std::string& option : options)
    if (given(values, option)) out.add(Position{"--" + option}, why);
  out.throw_if_any();
}

std::vector<std::string> settings_of(const po::variables_map& values) {
  if (!values.count("set")) return {};
  const auto settings = values["set"].as<std::vector<std::string>>();
  config::refuse_set_twice(settings);
  return settings;
}

std::string required(const po::variables_map& values, const std::string& option, const std::string& what) {
  if (values.count(option)) return values[option].as<std::string>();
  throw InputError(Position{"--" + option}, "is needed: " + what);
}

// What was installed with the tool lies in share/edgenpu beside its folder; a build has the sources.
std::string data_dir() {
  if (const char* from_environment = std::getenv("EDGENPU_DATA")) return from_environment;
  std::error_code unknown;
  const std::filesystem::path tool = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string installed = (tool.parent_path().parent_path() / "share" / "edgenpu").string();
  return !unknown && kind_of(installed + "/hw_configs", Position{}) == PathKind::folder ? installed
                                                                                        : EDGENPU_DATA_DIR;
}

std::string shipped_file(const po::variables_map& values, const std::string& option,
                         const std::string& path) {
  return values.count(option) ? values[option].as<std::string>() : data_dir() + path;
}

std::function<void(std::size_t, std::size_t)> step_progress() {
  if (::isatty(STDERR_FILENO) == 0) return {};
  const auto started = std::chrono::steady_clock::now();
  return [started](std::size_t done, std::size_t total) {
    const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    std::cerr << "\r\x1b[K" << done << " of " << total << " steps";
    if (done < total && done > 0)
      std::cerr << ", about "
                << static_cast<long>(s / static_cast<double>(done) * static_cast<double>(total - done) + 0.5)
                << " s left";
    std::cerr << (done == total ? "\n" : "") << std::flush;
  };
}

void add_measurement_options(po::options_description& to) {
  to.add_options()  //
      ("measurements", input_file(),
       "file of measurements [hw_configs/published/measurements.yaml]")  //
      ("mapping", input_file(),
       "what its names mean [hw_configs/published/mapping.yaml]")               //
      ("jobs", po::value<std::string>(), "simulations at a time [processors]")  //
      ("cache", cache_file(), "keep and reuse finished steps in this file");
}

}  // namespace edgenpu::cli
