#include "base/text.h"

#include <gtest/gtest.h>

namespace edgenpu {
namespace {

TEST(Text, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(visible("a\x1b[31mb\x07\r"), "a\\x1b[31mb\\x07\\x0d");
  EXPECT_EQ(visible("two\nlines\tand a tab"), "two\nlines\tand a tab");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "\\xc2\\x9b31m")
      << "an 8-bit control sequence";
  EXPECT_EQ(visible("\xe2\x80\xae"
                    "txt.exe"),
            "\\xe2\\x80\\xaetxt.exe")
      << "right to left";
}

TEST(Text, KeepsTheLettersOfAllLanguages) {
  const std::string text = "\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x99\x82";
  EXPECT_EQ(visible(text), text);
  EXPECT_EQ(one_line(text), text);
  EXPECT_EQ(width_of(text), 5u);
}

TEST(Text, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(visible("a\xff"), "a\\xff");
  EXPECT_EQ(visible("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(visible("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond U+10FFFF";
  EXPECT_EQ(visible("\xe4\xb8"), "\\xe4\\xb8") << "cut off";
  EXPECT_EQ(not_utf8("ab\xff"), std::size_t{2});
  EXPECT_FALSE(not_utf8("\xc3\xa4\xf0\x9f\x99\x82"));
}

TEST(Text, OfOneLineIsOneLineOfBoundedLength) {
  EXPECT_EQ(one_line("a\nb\tc"), "a\\nb\\tc");
  EXPECT_EQ(one_line("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(one_line("abcdefghi", 8), "abcde...");
  EXPECT_EQ(one_line("abcd\xc3\xa4"
                     "fgh",
                     8),
            "abcd...")
      << "cut between characters";
  EXPECT_LE(one_line(std::string(50'000'000, '\x1b')).size(), kMostOfALine);
}

TEST(Text, OfXmlHasNoMarkup) {
  EXPECT_EQ(xml_text("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(xml_text(std::string("\0\x1b\xff", 3)), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace edgenpu
