// A file mapped read-only into memory: pages are loaded when touched, so a 40 GB model costs what is read of
// it.
//
// Left out: a file that another process truncates while it is mapped (the system then ends the process).
// Errors: InputError with the path if it cannot be opened, is not a regular file or cannot be mapped.
#pragma once

#include <cstdint>
#include <string>

namespace edgenpu::workload {

class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::uint8_t* data() const { return data_; }
  std::uint64_t size() const { return size_; }

 private:
  const std::uint8_t* data_ = nullptr;  // null for an empty file
  std::uint64_t size_ = 0;
};

}  // namespace edgenpu::workload
