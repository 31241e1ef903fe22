#include "cli/dispatch.h"

int main(int argc, char** argv) {
  return edgenpu::cli::dispatch({argv + 1, argv + argc}, argv[0]);
}
