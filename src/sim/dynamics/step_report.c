// Texts for messages about a step, such as why Newton's method stopped: see step_report.h.
#include "sim/dynamics/step_report.h"

#include <stdio.h>

#include "base/number.h"

const char *newton_cause_text(NewtonCause cause) {
  switch (cause) {
    case NEWTON_CONVERGED:
      break;
    case NEWTON_NOT_FINITE:
      return "the state, a load or a force is not a finite number";
    case NEWTON_INVERTED:
      return "an element is, or would be, turned inside out";
    case NEWTON_INDEFINITE:
      return "the body is unstable, as in buckling: its tangent stiffness matrix is not positive definite";
    case NEWTON_LINEAR:
      return "the linear solver did not reach cg_relative within cg_max iterations, or failed because of rounding "
             "errors";
    case NEWTON_STAGNATED:
      return "no shorter step along the Newton direction lowers the residual";
    case NEWTON_OUT_OF_ITERATIONS:
      return "the number of Newton iterations reached the limit newton_max";
    case NEWTON_BLOCKED:
      return "a moving obstacle or pin, or a drag without \"stiffness\", would pass through a surface, even in "
             "shorter time steps";
    case NEWTON_STOPPED:
      return "the run was interrupted";
  }
  return "Newton's method converged";
}

void newton_trouble_text(const StepReport *report, char *text, size_t size) {
  NUMBERS_WITH_POINT_HERE;
  char refused[120] = "", nodes[8 * 22] = "";
  for (int c = 0, length = 0; c < report->worst_corners; c++)
    length += snprintf(nodes + length, sizeof nodes - (size_t)length, "%s%lld", c ? ", " : "",
                       (long long)report->worst_tags[c]);

  // If the accepted state has no inverted cell but the refused trial has one, the message also gives the trial's
  // smallest det F.
  if (report->cause == NEWTON_INVERTED && report->worst_J > 0 && report->rejected_J <= 0)
    snprintf(refused, sizeof refused,
             ": after the shortest trial step, the smallest volume ratio is det F = %.3g; in the accepted state",
             report->rejected_J);
  snprintf(text, size, "%s%s the %s with nodes %s has the volume ratio det F = %.3g, the smallest of all cells",
           newton_cause_text(report->cause), refused[0] ? refused : ";", report->worst_corners == 8 ? "hex" : "tet",
           nodes, report->worst_J);
}
