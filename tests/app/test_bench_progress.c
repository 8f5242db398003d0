// Tests the progress that a benchmark reports between time steps and within long time steps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/bench_progress.h"
#include "base/interrupt.h"

// Calls bench_progress_end_step or, if `ends` is NULL, interrupt_requested. Writes to `text` the report that this call
// prints on standard error; "": it prints none.
static void reported(BenchProgress *ends, char *text, size_t size) {
  FILE *file = tmpfile();
  const int kept = dup(STDERR_FILENO);
  assert_true(file && kept >= 0);
  fflush(stderr);
  dup2(fileno(file), STDERR_FILENO);
  if (ends)
    bench_progress_end_step(ends);
  else
    assert_false(interrupt_requested());
  fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  rewind(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

static void a_step_that_takes_long_is_reported_while_it_runs(void **state) {
  (void)state;
  char text[1000];
  Session *session = calloc(1, sizeof *session);
  StepReport report = { .substeps = 1, .newton_iterations = 7, .cg_iterations = 900 };
  assert_non_null(session);
  strcpy(session->scene.path, "heavy.json");
  BenchProgress progress;
  bench_progress_begin(&progress, session, 20);
  progress.terminal = false;
  progress.period = 5;
  bench_progress_begin_step(&progress, 3, &report);
  reported(NULL, text, sizeof text);
  assert_string_equal(text, "");  // no report at the start

  progress.reported -= 6;
  reported(NULL, text, sizeof text);
  assert_string_equal(text, "");  // the step has just begun: its end will be reported
  progress.step_begin -= 41;
  reported(NULL, text, sizeof text);
  assert_string_equal(text,
                      "pliant: heavy.json: step 3 of 20 has taken 41 s so far: 7 Newton and 900 CG iterations in "
                      "1 substep\n");
  reported(NULL, text, sizeof text);
  assert_string_equal(text, "");  // no second report within a minute
  progress.reported -= 61;
  progress.step_begin -= 60;
  reported(NULL, text, sizeof text);
  assert_non_null(strstr(text, "step 3 of 20 has taken 101 s so far"));

  progress.reported -= 61;
  progress.begin -= 200;
  reported(&progress, text, sizeof text);
  assert_string_equal(text, "pliant: heavy.json: completed 3 of 20 steps in 200 s\n");
  progress.reported -= 61;
  reported(NULL, text, sizeof text);
  assert_string_equal(text, "");  // no report between steps
  bench_progress_end(&progress);
  bench_progress_begin_step(&progress, 4, &report);
  progress.reported -= 61;
  reported(NULL, text, sizeof text);
  assert_string_equal(text, "");  // no report after the end of the run
  free(session);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(a_step_that_takes_long_is_reported_while_it_runs) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
