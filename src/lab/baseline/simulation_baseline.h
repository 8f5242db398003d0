// Measurements of a simulation's linear system beside other programs: NVIDIA's libraries on the same matrix, and the
// system written to a file.
#pragma once
#include <stdio.h>

#include "sim/simulation.h"

// What NVIDIA's libraries take for the system as the last step left it; see lab/baseline/cusparse.h.
typedef struct BaselineReport {
  double csr_us, bsr_us, cg_us;  // a product by cuSPARSE, 0: it has none; an iteration of a cuSPARSE and cuBLAS loop
  int cg_iterations;
  double own_us;              // a product of ours, timed the same way in the same run
  double product_difference;  // relative L2 between cuSPARSE's product and ours
} BaselineReport;

/// Why there is no baseline: one clause, or NULL.
const char *simulation_baseline_absence(const Simulation *simulation);
bool simulation_baseline(Simulation *simulation, BaselineReport *report, Error *error);

// Its first linear system from now on is written down (lab/baseline/system_tap.h), until that is undone.
struct SystemTap;
struct SystemReport;
bool simulation_tap_system(Simulation *simulation, struct SystemTap *tap, FILE *file, int repeat,
                           struct SystemReport *report, Error *error);
void simulation_untap_system(Simulation *simulation, const struct SystemTap *tap);
