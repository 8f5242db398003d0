// Tests the parser with a command of 70 options. A 64-bit word could not store which of them the user gives. One option
// has a term, a condition under which it has an effect.
#include "../testing.h"

#include "app/command_line.h"

enum { COUNT = 70 };

static void each_of_seventy_options_is_known_as_given(void **state) {
  (void)state;
  static char keys[COUNT][8];
  static double values[COUNT];
  static Option own[COUNT + 1];
  for (int k = 0; k < COUNT; k++) {
    snprintf(keys[k], sizeof keys[k], "o%d", k);
    own[k] = (Option){ .key = keys[k], .type = OPTION_NUMBER, .offset = sizeof *values * (size_t)k, OPTION_ANY };
  }
  const OptionTerm terms[] = { { "o69", .needs = "o5" }, { 0 } };
  const CommandRow row = { .name = "c", .options = own, .takes = TAKES_PATHS, .terms = terms };
  const CommandLine line = { .row = &row, .command = "c", .usage = "c" };
  for (int k = 0; k < COUNT; k++) {
    Error error = { 0 };
    CommandInput input = { .options = values };
    char word[16];
    snprintf(word, sizeof word, "--o%d=1", k);
    char *words[] = { word };
    assert_int_equal(command_line_parse(&line, 1, words, &input, &error), k == 69 ? PARSED_ERROR : PARSED_OK);
    if (k == 69) assert_string_equal(error.message, "c: --o69 has no effect without --o5");
    for (int other = 0; other < COUNT; other++)
      assert_int_equal(option_given(own, input.command_given, keys[other]), other == k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(each_of_seventy_options_is_known_as_given) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
