// Draws and what is said about them: stratified quantiles, percentiles, shares of a variance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace edgenpu::analysis {

// `n` quantiles, one in each n-th of [0, 1), in random order; a stream for each name, so that one more number
// moves no other's.
std::vector<double> stratified(std::int64_t n, std::uint64_t seed, const std::string& name);

// Linear between the sorted values; q from 0 to 1.
double quantile(std::vector<double> values, double q);

// Of the population; 0 for fewer than two values.
double variance(const std::vector<double>& x);

// Pearson's, squared; 0 where one of them does not vary.
double squared_correlation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace edgenpu::analysis
