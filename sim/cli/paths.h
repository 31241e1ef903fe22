// Options that name files. What an option does with its path is part of its type and stands in --help, so that
// parse() can check the paths of every command in one place, before anything is done:
//
//   FILE        is read
//   NAME|FILE   is read, if there is such a file; else it is a name of ours (of hardware, a name with neither a slash
//               nor .yaml is ours first: config/resolve.h)
//   OUT         is written; - is standard output
//   CACHE       is read and written: a regular file
//   DATABASE    is written piece by piece: a regular file
//   FOLDER      is made, and written into
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace edgenpu::cli {

namespace po = boost::program_options;

po::typed_value<std::string>* input_file();
po::typed_value<std::vector<std::string>>* input_files();
po::typed_value<std::string>* name_or_file();
po::typed_value<std::vector<std::string>>* names_or_files();
po::typed_value<std::string>* output_file();
po::typed_value<std::string>* cache_file();
po::typed_value<std::string>* database_file();
po::typed_value<std::string>* output_folder();

// Throws InputError for paths that the system cannot follow, outputs that cannot be written, that are one file, or
// that are an input. Claims the outputs: an input that is found later and is one of them is refused, too.
void check_paths(const po::options_description& options, const po::variables_map& values);

// The same for an output that is not an option's value. `inputs`: what it must not replace.
void check_new_file(const std::string& path, const std::vector<std::string>& inputs);

}  // namespace edgenpu::cli
