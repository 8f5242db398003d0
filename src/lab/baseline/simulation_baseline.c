// Times NVIDIA's libraries on the linear system of a simulation, or writes this system: see simulation_baseline.h.
#include "lab/baseline/simulation_baseline.h"

#include "lab/baseline/cusparse.h"
#include "lab/baseline/system_tap.h"
#include "sim/simulation_parts.h"

const char *simulation_baseline_absence(const Simulation *w) {
  if (!operator_stores(&w->A)) return "the matrix format stores no entries";
  return w->newton.solver_stream.device == DEVICE_CUDA ? baseline_absence() : "the matrix is not on a GPU";
}

bool simulation_baseline(Simulation *w, BaselineReport *report, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  Baseline b;
  double pliant_us;
  if (!baseline_measure(&w->solver.system, w->newton.solver_stream, &b, error) ||
      !simulation_time_in_a_row(w, WORK_PRODUCT, &pliant_us, error))
    return false;
  *report = (BaselineReport){ b.csr_us, b.bsr_us, b.cg_us, b.cg_iterations, pliant_us, b.product_difference };
  return true;
}

bool simulation_tap_system(Simulation *w, SystemTap *tap, FILE *file, int repeat, SystemReport *report, Error *error) {
  return system_tap_attach(tap, &w->solver, file, repeat, report, error);
}

void simulation_untap_system(Simulation *w, const SystemTap *tap) {
  system_tap_detach(tap, &w->solver);
}
