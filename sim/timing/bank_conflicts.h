// Words per cycle that an access gets from the interleaved banks of a scratchpad while older accesses go on.
// Pure arithmetic.
//
// Each cycle an access presents `words` consecutive words to as many of the banks, wherever they are; a bank
// serves up to `ports` requests a cycle, the oldest access first; what is not served is presented again. The
// words of the accesses lie independently of each other, so that a bank is wanted by an access with
// probability words / banks (more than one word a bank: by the whole part surely). The expected number of
// words that the youngest access gets is
//
//   banks x E[min(ports - X, Y)+],  X = requests of the older accesses to a bank, Y = its own
//
// with one port: words x product over the older ones of (1 - words / banks). Over all accesses of one word
// these add up to banks (1 - (1 - 1/banks)^n), the bandwidth of n processors on interleaved modules after
// Strecker (thesis, Carnegie Mellon, 1970) and Bhandarkar (IEEE Trans. Computers C-24, 1975). An access alone
// gets its words, up to banks x ports; accesses as wide as the banks go one after the other.
//
// More banks, more ports, or fewer words of the others (as a wider bank gives) never lower it.
// Left out, as there: that words which were turned away come back to the same bank. A narrow stream of
// consecutive words then gets up to 5 % more beside a wider one (tests/timing/bank_conflicts_test.cpp);
// streams of equal width fall into step and conflict hardly at all; a wide access whose words all wait for
// the last one would get less, so its reader must have a buffer for each bank.
#pragma once

#include <cstdint>
#include <vector>

namespace edgenpu::timing {

double expected_words(std::int64_t banks, std::int64_t ports, double words, const std::vector<double>& older);

}  // namespace edgenpu::timing
