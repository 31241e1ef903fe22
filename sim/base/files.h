// The one door to files of others: what is at a path, reading a text, and keeping outputs off inputs.
//
// No call throws anything but InputError, which names the path and the system's reason.
#pragma once

#include <cstdint>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "base/error.h"

namespace edgenpu {

enum class PathKind { absent, file, folder, other };  // other: a pipe, a device, a socket

// Through links. Throws at `where` where it cannot be told: a name too long, a loop of links, a folder that may
// not be entered.
PathKind kind_of(const std::string& path, const Position& where);
PathKind kind_of(const std::string& path);

// The names of the YAML files in a folder, without ".yaml", in order; none where it cannot be read.
std::vector<std::string> yaml_names(const std::string& folder);

// Whether both paths lead to one file, through links; also where it is not there yet.
bool same_file(const std::string& a, const std::string& b);

// Far beyond any description, and read in a moment.
constexpr std::int64_t kMostText = std::int64_t{64} << 20;

// All of a file, a terminal, or a pipe that somebody writes to; never waits for a partner that does not come, and
// refuses devices and texts that are longer than `most`. Notes it as an input.
std::string read_text(const std::string& path, std::int64_t most = kMostText);

// Every input is noted when it is opened, and every output named by an option is claimed before that, so that a
// file which is both is refused wherever the input was found: in an option, in `extends`, as a part.
void claim_output(const std::string& path, const std::string& option);  // "--json"
// Throws if `status` is that of a claimed output.
void note_input(const struct stat& status, const std::string& path);
// The same for a regular file that is going to be opened, more than once perhaps; throws for pipes and devices.
void note_file(const std::string& path);
// Throws if the file at `path` has been read.
void refuse_input(const std::string& path);

}  // namespace edgenpu
