// The tool's version and the commit it was built from; defined by the build.
#pragma once

namespace edgenpu::cli {

extern const char* const kVersion;
extern const char* const kCommit;

}  // namespace edgenpu::cli
