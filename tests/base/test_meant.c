// Tests suggestions for an unknown word: the nearest known word, or none if no known word is near.
#include "../testing.h"

#include "base/meant.h"

static void the_nearest_word_is_meant(void **state) {
  (void)state;
  static const char *const words[] = { "young", "steps", "record", "replay", "newton_relative", "dt", "mu" };

  // meant, edits: expected nearest word, empty if none is near, and number of edits (struct Meant). A word of 4 to 7
  // letters is near with up to 2 edits, so 3 means that none is near.
  static const struct {
    const char *given, *meant;
    int edits;
  } rows[] = {
    { "yuong", "young", 1 },
    { "step", "steps", 1 },
    { "recrod", "record", 1 },
    { "recods", "record", 2 },
    { "newton", "newton_relative", 2 },
    { "newton_realtive", "newton_relative", 1 },
    { "dx", "dt", 1 },
    { "poisson", "", 3 },
    { "x", "", 2 },
    { "", "", 2 },
    { "replace", "replay", 2 },
    { "ne", "", 2 },
    { "YOUNG", "", 3 },
  };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    Meant meant = meant_by(rows[r].given);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) meant_offer(&meant, words[k]);
    if (strcmp(meant.nearest, rows[r].meant) != 0 || meant.edits != rows[r].edits)
      fail_msg("for \"%s\" the nearest word is \"%s\" with %d edits, expected \"%s\" with %d", rows[r].given,
               meant.nearest, meant.edits, rows[r].meant, rows[r].edits);
  }
}

static void words_of_any_length_are_compared(void **state) {
  (void)state;
  char longest[65], text[96];
  memset(longest, 'a', sizeof longest);
  for (int length = 64; length >= 0; length--) {
    longest[length] = '\0';
    Meant meant = meant_by(longest);
    meant_offer(&meant, longest);
    meant_offer(&meant, "a word that is something else altogether");
    assert_int_equal(meant.edits > 0, length > 63);  // words of 64 or more letters get no suggestion
    meant_text(&meant, text);
    assert_int_equal(text[0] == '\0', length > 63 || length == 0);
  }
}

static void a_text_follows_the_word(void **state) {
  (void)state;
  char text[96];
  Meant meant = meant_by("yuong");
  assert_string_equal(meant_text(&meant, text), "");
  meant_offer(&meant, "young");
  assert_string_equal(meant_text(&meant, text), " (did you mean \"young\"?)");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_nearest_word_is_meant),
    cmocka_unit_test(words_of_any_length_are_compared),
    cmocka_unit_test(a_text_follows_the_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
