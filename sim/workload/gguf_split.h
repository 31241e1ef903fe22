// Models in several GGUF files, as llama.cpp's gguf-split writes them: NAME-00001-of-00003.gguf and so on, each
// with `split.no` and `split.count`; the metadata of the model stand in the first.
//
// Errors: InputError that says which part the given file is, for a name without these numbers, parts that are
// missing, that number themselves otherwise, or whose tensors are not as many as the first one says.
#pragma once

#include <string>
#include <vector>

#include "workload/gguf.h"

namespace edgenpu::workload {

// All parts in their order, whichever is given; a file that is whole alone.
std::vector<GgufFile> open_gguf_parts(const std::string& path);

// Throws InputError if the file is one of several.
void refuse_gguf_part(const GgufFile& file);

}  // namespace edgenpu::workload
