#include "sweep/sql.h"

#include <gtest/gtest.h>

namespace edgenpu::sweep {
namespace {

TEST(Sql, RefusesNamesOfColumnsWithAZeroByteWhichSqliteWouldCutThere) {
  EXPECT_EQ(quoted_name("a\"b"), "\"a\"\"b\"");
  EXPECT_THROW(quoted_name(std::string("energy_\0_J", 10)), InputError);
}

}  // namespace
}  // namespace edgenpu::sweep
