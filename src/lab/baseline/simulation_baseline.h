// Reference measurements on the linear system A x = b of a simulation's last Newton iteration. simulation_baseline
// times NVIDIA's libraries on this system. simulation_tap_system makes the simulation write the next system that it
// solves to a file for other programs.
#pragma once
#include <stdio.h>

#include "sim/simulation.h"

// Times of matrix-vector products and of a solve by conjugate gradients, with the matrix of a simulation's last Newton
// iteration.
typedef struct BaselineReport {
  // csr_us, bsr_us: time of one product y = A x by cuSPARSE in the formats CSR and BSR, microseconds. cg_us: time of
  // one iteration of conjugate gradients. A time is 0 if the libraries lack the function.
  double csr_us, bsr_us, cg_us;
  int cg_iterations;          // number of iterations of the conjugate gradient solve by cuSPARSE and cuBLAS
  double pliant_us;           // time of a product by Pliant in the same run, microseconds
  double product_difference;  // L2 norm of cuSPARSE's minus Pliant's product, divided by the norm of Pliant's product
} BaselineReport;

/// Returns NULL if simulation_baseline can measure this simulation. Otherwise returns the reason, as one clause.
const char *simulation_baseline_absence(const Simulation *simulation);

/// Multiplies the matrix of the last Newton iteration by a vector, with NVIDIA's cuSPARSE and with Pliant. Also solves
/// the system of that iteration by conjugate gradients with NVIDIA's libraries. Writes the times to *report.
bool simulation_baseline(Simulation *simulation, BaselineReport *report, Error *error);

// simulation_tap_system attaches `tap` to the simulation's solver. A tap is a solver method that writes the next linear
// system to `file` and then solves it `repeat` times (lab/baseline/system_tap.h). *report gets the size of the system
// and the times. The caller must detach the tap by simulation_untap_system.
struct SystemTap;
struct SystemReport;
bool simulation_tap_system(Simulation *simulation, struct SystemTap *tap, FILE *file, int repeat,
                           struct SystemReport *report, Error *error);
void simulation_untap_system(Simulation *simulation, const struct SystemTap *tap);
