// Reference measurements with the linear system of a simulation. One function times NVIDIA's libraries on its matrix;
// another writes the system to a file for other programs.
#pragma once
#include <stdio.h>

#include "sim/simulation.h"

// Timings of NVIDIA's libraries for the system of the last step; see lab/baseline/cusparse.h.
typedef struct BaselineReport {
  // csr_us and bsr_us: time of one product by cuSPARSE in each format; 0: not available. cg_us: time of one iteration
  // of conjugate gradients by calls of cuSPARSE and cuBLAS.
  double csr_us, bsr_us, cg_us;
  int cg_iterations;
  double pliant_us;           // a product by Pliant, timed by the same method in the same run
  double product_difference;  // relative L2 norm of the difference between cuSPARSE's product and Pliant's
} BaselineReport;

/// Returns NULL if the measurement is possible. Otherwise returns the reason, as one clause.
const char *simulation_baseline_absence(const Simulation *simulation);
bool simulation_baseline(Simulation *simulation, BaselineReport *report, Error *error);

// Attaches `tap` to the simulation's solver. The tap writes the next linear system to `file`
// (lab/baseline/system_tap.h). The caller must detach it by simulation_untap_system.
struct SystemTap;
struct SystemReport;
bool simulation_tap_system(Simulation *simulation, struct SystemTap *tap, FILE *file, int repeat,
                           struct SystemReport *report, Error *error);
void simulation_untap_system(Simulation *simulation, const struct SystemTap *tap);
