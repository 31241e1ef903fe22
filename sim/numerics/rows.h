// Activations: one row a token.
#pragma once

#include <Eigen/Core>

namespace edgenpu::numerics {

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace edgenpu::numerics
