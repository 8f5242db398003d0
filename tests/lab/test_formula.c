// Tests formulas that users write, such as "x + 2*y": their values, the precedence of operators, and error messages.
#include "../testing.h"

#include "base/formula.h"

static void values_are_those_of_c(void **state) {
  (void)state;
  const double x = 0.7, y = -1.3, z = 2.5;
  const struct {
    const char *text;
    double value;
  } rows[] = {
    { "1", 1 },
    { " 2.5e-1 ", 0.25 },
    { "1 - 2 - 3", -4 },
    { "8/4/2", 1 },
    { "2^3^2", 512 },
    { "-2^2", -4 },
    { "2^-1", 0.5 },
    { "1 - -1", 2 },
    { "2*-3+1", -5 },
    { "(1+2)*3", 9 },
    { "x + 2*y - z", x + 2 * y - z },
    { "sin(pi*x)*cos(y)", sin(acos(-1) * x) * cos(y) },
    { "exp(-x^2)/sqrt(z)", exp(-x * x) / sqrt(z) },
    { "abs(y) + tan(x) + log(z)", fabs(y) + tan(x) + log(z) },
    { "max(min(x, y), 0.5*z)", 0.5 * z },
    { "(x < 1)*(y > 0)", 0 },
    { "(x < 1) + 2*(z > 0)", 3 },
    { "x < 1 && y > 0 || z >= 2.5", 1 },
    { "y < 0 ? x : z", x },
    { "(x-10)*(x-20)*(y-10)*(y-20)", (x - 10) * (x - 20) * (y - 10) * (y - 20) },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    Formula formula;
    Error error = { 0 };
    if (!formula_read(&formula, rows[k].text, "f", NULL, &error)) fail_msg("%s", error.message);
    const double value = formula_value(&formula, (double[3]){ x, y, z });
    if (!(fabs(value - rows[k].value) <= 1e-14 * (1 + fabs(rows[k].value))))
      fail_msg("%s is %.17g, expected %.17g", rows[k].text, value, rows[k].value);

    // an evaluation at another point must not change the value at the first point
    formula_value(&formula, (double[3]){ 1, 2, 3 });
    const double again = formula_value(&formula, (double[3]){ x, y, z });
    assert_memory_equal(&again, &value, sizeof value);
    formula_destroy(&formula);
  }
}

static void errors_in_formulas_name_the_character(void **state) {
  (void)state;
  static const char *const rows[][2] = {
    { "", "is blank, expected a formula" },
    { " \t", "is blank, expected a formula" },
    { "1e400", "character 1 of \"1e400\": this number is beyond the range of double" },
    { "x + 2e999*y", "character 5 of \"x + 2e999*y\": this number is beyond the range of double" },
    { "1 +", "character 4 of \"1 +\": the formula ends where a value is expected" },
    { "2 x", "character 3 of \"2 x\": expected an operator, such as *, before this name" },
    { "sin x", "character 1 of \"sin x\": expected a number, x, y, z, pi, or a function and its \"(\"" },
    { "1 + foo(1)", "character 5" },
    { "sin(1, 2)", "too many arguments for this function" },
    { "min()", "too few arguments for this function" },
    { "(1", "character 3 of \"(1\": a closing parenthesis is missing" },
    { "1)", "character 2 of \"1)\": unmatched parenthesis" },
    { "1e", "character 1" },
    { "x = 2", "character 3 of \"x = 2\": assignment is not allowed; use == to compare" },
    { "1 + , 2", "character 5 of \"1 + , 2\": this comma is not between arguments of a function" },
    { "1, 2", "gives 2 values, expected one" },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    Formula formula;
    Error error = { 0 };
    if (formula_read(&formula, rows[k][0], "source", NULL, &error))
      fail_msg("\"%s\" was accepted as a formula", rows[k][0]);
    if (!strstr(error.message, rows[k][1]) || strncmp(error.message, "source: ", 8) != 0)
      fail_msg("\"%s\": %s", rows[k][0], error.message);
    assert_null(formula.parser);
  }

  static char deep[4000];
  Formula formula;
  Error error = { 0 };
  memset(deep, '(', sizeof deep - 1);
  assert_false(formula_read(&formula, deep, "source", NULL, &error));
  for (size_t k = 0; k + 2 < sizeof deep; k += 2) {
    deep[k] = 'x';
    deep[k + 1] = '+';
  }
  deep[sizeof deep - 2] = 'x';
  assert_true(formula_read(&formula, deep, "source", NULL, &error));
  assert_true(formula_value(&formula, (double[3]){ 1 }) == sizeof deep / 2);
  formula_destroy(&formula);
}

// Tests formulas that contain names which the caller defines, with and without quotes. The values of these names are 0
// or set by formula_set.
static void formulas_use_given_names(void **state) {
  (void)state;
  static const char *const names[] = { "inlet", "the top", "x", "a=b", "2" };
  const FormulaWords words = { 5, names, "the parts of it" };
  Formula formula;
  Error error = { 0 };
  if (!formula_read(&formula, "10*inlet + \"the top\" - 3*\"a=b\" + x", "flux", &words, &error))
    fail_msg("%s", error.message);
  assert_int_equal(formula.word_count, 3);
  assert_true(formula_value(&formula, (double[3]){ 0.5 }) == 0.5);
  formula_set(&formula, 0, 1);
  formula_set(&formula, 1, 2);
  formula_set(&formula, 3, 1);
  assert_true(formula_value(&formula, (double[3]){ 0.5 }) == 9.5);
  formula_destroy(&formula);
  assert_true(formula_read(&formula, "\"x\" + \"2\"*x", "flux", &words, &error));
  formula_set(&formula, 2, 4);
  formula_set(&formula, 4, 3);
  assert_true(formula_value(&formula, (double[3]){ 2 }) == 10);
  formula_destroy(&formula);
  static const char *const rows[][2] = {
    { "2*outlet",
      "character 3 of \"2*outlet\": expected a number, x, y, z, pi, one of the parts of it (inlet, \"the top\", "
      "\"x\", \"a=b\", \"2\"), or a function" },
    { "\"outlet\"", "flux: \"outlet\" is not one of the parts of it: inlet, \"the top\", \"x\", \"a=b\", \"2\"" },
    { "\"\"", "is not one of" },
    { "1 + \"inlet", "character 5 of \"1 + \"inlet\": the closing quote is missing" },
    { "\"the top\" = 2", "character 11" },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    error = (Error){ 0 };
    assert_false(formula_read(&formula, rows[k][0], "flux", &words, &error));
    if (!strstr(error.message, rows[k][1])) fail_msg("\"%s\": %s", rows[k][0], error.message);
  }
  assert_false(formula_read(&formula, "\"inlet\"", "flux", NULL, &(Error){ 0 }));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_are_those_of_c),
    cmocka_unit_test(errors_in_formulas_name_the_character),
    cmocka_unit_test(formulas_use_given_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
