// Tests reports of studies: a failed check stays failed, tables grow, unknown names and numbers are refused.
#include "../testing.h"

#include "lab/study/study.h"

static void a_failed_check_stays_failed(void **state) {
  StudyReport *report = *state;
  study_check(report, "a", 1, 2);
  study_check(report, "a", 0.5, 2);
  assert_true(report->check_count == 1 && report->checks[0].result == 1 && report->checks[0].passed);
  study_check(report, "a", 3, 2);
  study_check(report, "a", 0, 2);
  assert_true(report->check_count == 1 && report->checks[0].result == 3 && !report->checks[0].passed);
  study_check(report, "b", 2, 2);
  assert_true(report->check_count == 2 && report->checks[1].passed);
}

static void a_check_that_is_not_a_number_fails(void **state) {
  StudyReport *report = *state;
  study_check(report, "first", NAN, 2);
  study_check(report, "first", 0, 2);
  study_check(report, "last", 0, 2);
  study_check(report, "last", NAN, 2);
  for (int k = 0; k < 2; k++) assert_true(isnan(report->checks[k].result) && !report->checks[k].passed);
}

static void tables_contain_their_rows(void **state) {
  StudyReport *report = *state;
  Error error = { 0 };
  StudyTable *table = study_table(report, "title", (const char *const[]){ "x", "y", NULL });
  assert_non_null(table);
  for (int k = 0; k < 100; k++) assert_true(study_row(table, "row", (double[]){ k, NAN }, &error));
  assert_true(table->row_count == 100 && table->column_count == 2 && strcmp(table->column[1], "y") == 0);
  for (int k = 0; k < 100; k++) assert_true(table->rows[k].value[0] == k && isnan(table->rows[k].value[1]));
}

static void unknown_names_are_refused(void **state) {
  (void)state;
  Error error = { 0 };
  assert_null(study_find("muller-roemer", &error));
  assert_non_null(strstr(error.message, "did you mean \"mueller-roemer\""));
  const Study *study = study_find("mueller-roemer", &error);
  assert_non_null(study);
  error = (Error){ 0 };
  assert_true(study_allows(study, &(StudyRequest){ .table = 3 }, &error));
  assert_true(study_allows(study, &(StudyRequest){ .figure = 6 }, &error));
  assert_false(study_allows(study, &(StudyRequest){ .table = 4 }, &error));
  assert_non_null(strstr(error.message, "no table 4; available: 1, 2, 3"));
  error = (Error){ 0 };
  assert_false(study_allows(study, &(StudyRequest){ .table = 2, .figure = 5 }, &error));
  assert_non_null(strstr(error.message, "only one of --table"));
}

static int setup(void **state) {
  static StudyReport report;
  report = (StudyReport){ 0 };
  *state = &report;
  return 0;
}

static int teardown(void **state) {
  study_report_destroy(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_failed_check_stays_failed, setup, teardown),
    cmocka_unit_test_setup_teardown(a_check_that_is_not_a_number_fails, setup, teardown),
    cmocka_unit_test_setup_teardown(tables_contain_their_rows, setup, teardown),
    cmocka_unit_test(unknown_names_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
