// Writes the progress of a recording, with the remaining time, to standard error (record_pace.h).
#include "app/record_pace.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/timer.h"

static const double MANY_STEPS = 2e5, TOO_MANY_STEPS = 1e15;
// Times between reports of progress, s. FIRST_REPORT: time before the first line of text; LATER_REPORTS: time between
// later lines; BAR_PERIOD: time between two updates of the bar on a terminal.
static const double FIRST_REPORT = 5, LATER_REPORTS = 60, BAR_PERIOD = 0.2;

// Writes a duration in a suitable unit: "90 s", "25 min", "3 h" or "12 days".
static const char *duration(double seconds, char text[32]) {
  if (seconds < 120)
    snprintf(text, 32, "%.0f s", seconds);
  else if (seconds < 7200)
    snprintf(text, 32, "%.0f min", seconds / 60);
  else if (seconds < 172800)
    snprintf(text, 32, "%.0f h", seconds / 3600);
  else
    snprintf(text, 32, "%.3g days", seconds / 86400);
  return text;
}

static double step_length(const Pace *p) {
  return simulation_settings(p->session->simulation)->dt;
}

// Returns the simulated time of the recording's last frame, s.
static double end_of(const Pace *p) {
  return (p->frames - 1) / p->fps;
}

bool pace_begin(Pace *p, const Session *session, double fps, int first, int frames, Error *error) {
  *p = (Pace){ .session = session, .fps = fps, .first = first, .frames = frames, .terminal = isatty(STDERR_FILENO) };
  p->begin = p->reported = timer_seconds();
  p->report_period = p->terminal ? BAR_PERIOD : FIRST_REPORT;
  p->from = simulation_time(session->simulation);
  const char *name = session->scene.path;
  const double dt = step_length(p), steps = (end_of(p) - p->from) / dt;
  if (frames == RECORD_FRAMES_OPEN) return true;
  if (steps > TOO_MANY_STEPS)
    return error_set(error, "%s: dt is %g s, so %d frames at %g frames/s would need %.3g steps; use a larger dt", name,
                     dt, frames - first, fps, steps);
  if (steps > MANY_STEPS)
    log_notice("%s: %d frames at %g frames/s need %.3g steps of %g s; a larger dt needs fewer steps", name,
               frames - first, fps, steps, dt);
  if (dt > 1.000001 / fps && frames - first > 1)
    log_notice(
        "%s: a step of %g s covers %.3g frames at %g frames/s, so several frames show the same state; use dt of "
        "at most %.3g s",
        name, dt, dt * fps, fps, 1 / fps);
  return true;
}

static void draw_bar(const Pace *p, int done, double left) {
  enum { WIDTH = 30 };
  char text[32];
  if (p->frames == RECORD_FRAMES_OPEN) {
    fprintf(stderr, "\rframe %d \033[K", done);
    return;
  }
  const int full = WIDTH * (done - p->first) / (p->frames - p->first);
  fprintf(stderr, "\r[%.*s%*s] frame %d of %d, step %lld, %s left \033[K", full, "##############################",
          WIDTH - full, "", done, p->frames, (long long)p->steps, isfinite(left) ? duration(left, text) : "?");
}

void pace_report(Pace *p, double elapsed, int done, const StepReport *step) {
  p->steps += step != NULL;
  const double now = timer_seconds(), spent = now - p->begin;
  const bool frame = p->terminal && !step;
  if (!frame && now - p->reported < p->report_period) return;
  p->reported = now;
  const double span = end_of(p) - p->from;  // s of simulated time; 0 if there is only one frame
  const double part = span > 0 ? fmin((elapsed - p->from) / span, 1) : 0;
  const double left = part > 0 ? spent / part * (1 - part) : HUGE_VAL;
  if (p->terminal) {
    draw_bar(p, done, left);
    return;
  }
  p->report_period = LATER_REPORTS;
  char so_far[32], to_go[32], of[48] = "", rest[64] = "";
  if (p->frames != RECORD_FRAMES_OPEN) {
    snprintf(of, sizeof of, " of %d", p->frames - p->first);
    if (isfinite(left)) snprintf(rest, sizeof rest, ", about %s to go", duration(left, to_go));
  }
  log_notice("%s: frames: %d%s; time steps: %lld; time so far: %s%s%s", p->session->scene.path, done - p->first, of,
             (long long)p->steps, duration(spent, so_far), rest,
             step && step->substeps > 1
                 ? "; some time steps are split into shorter ones, since forces are large for this dt and material"
                 : "");
}
