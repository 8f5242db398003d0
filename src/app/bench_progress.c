// Writes the progress of a benchmark to standard error (bench_progress.h).
#include "app/bench_progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/log.h"
#include "base/timer.h"
#include "sim/material_advice.h"

// Time in s from which a time step takes long. A shorter step is only reported when it ends: its time so far would be
// printed as 0 s.
static const double LONG_STEP = 1;

static void clear_line(const BenchProgress *p) {
  if (p->terminal) fprintf(stderr, "\r\033[K");
}

// Writes a notice about the first time step that was divided into substeps. Writes none in the first second of a run,
// so that short runs print no advice.
static void report_split(BenchProgress *p, double now) {
  const StepReport *r = p->now;
  char material[MATERIAL_ADVICE];
  if (p->split || r->substeps < 2 || now - p->begin < 1) return;
  clear_line(p);
  material_advice(simulation_settings(p->session->simulation), material);
  log_notice(
      "%s: time step %d was split into %d substeps (%d Newton and %d CG iterations, smallest volume ratio det F %.2g): "
      "forces are large for this dt and material; use a smaller dt%s",
      p->session->scene.path, p->step, r->substeps, r->newton_iterations, r->cg_iterations, r->min_J, material);
  p->split = true;
}

// Returns true if `period` has passed since the last report. The caller then writes a report, so `now` is stored as the
// time of the last report.
static bool is_due(BenchProgress *p, double now) {
  if (now - p->reported < p->period) return false;
  p->reported = now;
  if (!p->terminal) p->period = 60;
  return true;
}

// The engine calls this function during a time step whenever it tests for interrupts, because bench_progress_begin has
// passed it to interrupt_listen. Writes a report if one is due. The result false means: no interrupt, the run
// continues.
static bool report_within(void *progress) {
  BenchProgress *p = progress;
  if (p->step == 0) return false;
  const double now = timer_seconds_coarse(), since = now - p->step_begin;
  if (since < LONG_STEP || !is_due(p, now)) return false;
  const StepReport *r = p->now;
  if (p->terminal)
    fprintf(stderr, "\rstep %d of %d, %.0f s in this step: %d Newton and %d CG iterations in %d substep%s\033[K",
            p->step, p->steps, since, r->newton_iterations, r->cg_iterations, r->substeps, r->substeps == 1 ? "" : "s");
  else
    log_notice("%s: step %d of %d has taken %.0f s so far: %d Newton and %d CG iterations in %d substep%s",
               p->session->scene.path, p->step, p->steps, since, r->newton_iterations, r->cg_iterations, r->substeps,
               r->substeps == 1 ? "" : "s");
  report_split(p, now);
  return false;
}

void bench_progress_begin(BenchProgress *p, const Session *session, int steps) {
  const double now = timer_seconds();
  const bool terminal = isatty(STDERR_FILENO);
  *p = (BenchProgress){ .session = session,
                        .steps = steps,
                        .terminal = terminal,
                        .begin = now,
                        .reported = now,
                        .period = terminal ? 0.2 : 5 };
  interrupt_listen(report_within, p);
}

void bench_progress_end(BenchProgress *p) {
  interrupt_listen(NULL, NULL);
  if (p->reported > p->begin) clear_line(p);
}

void bench_progress_begin_step(BenchProgress *p, int step, const StepReport *report) {
  p->now = report;
  p->step_begin = timer_seconds();
  p->step = step;
}

void bench_progress_end_step(BenchProgress *p) {
  const double now = timer_seconds();
  report_split(p, now);
  if (is_due(p, now)) {
    if (p->terminal)
      fprintf(stderr, "\rstep %d of %d, %.0f s so far \033[K", p->step, p->steps, now - p->begin);
    else
      log_notice("%s: completed %d of %d steps in %.0f s", p->session->scene.path, p->step, p->steps, now - p->begin);
  }
  p->step = 0;
}
