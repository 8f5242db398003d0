// Helpers that tests of simulations share: cmocka, reproducible random numbers, meshes, relative differences, and
// copies of states.
#pragma once
#include "../testing.h"

#include "base/random.h"
#include "mesh/shapes.h"
#include "mesh/tet_mesh.h"
#include "sim/simulation.h"

// Returns a box from the origin to `size`, m, of nx x ny x nz cells with six tets each. The caller calls mesh_destroy.
static inline TetMesh box(int nx, int ny, int nz, const double size[3]) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  MUST(mesh_make_box(nx, ny, nz, size, &mesh, &error));
  return mesh;
}

// Returns the sum of kinetic, elastic and potential energy, J.
static inline double energy_of(Simulation *simulation) {
  Error error = { 0 };
  Energy energy;
  MUST(simulation_energy(simulation, &energy, &error));
  return energy.kinetic + energy.elastic + energy.potential;
}

// Returns ||a - b|| / ||b||, or NaN if an entry is NaN.
static inline double relative_l2(const double *a, const double *b, int64_t count) {
  double difference = 0, norm = 0;
  for (int64_t k = 0; k < count; k++) {
    difference += (a[k] - b[k]) * (a[k] - b[k]);
    norm += b[k] * b[k];
  }
  return sqrt(difference / norm);
}

// Returns a text for messages, which the next call overwrites.
static inline const char *stage_label(const char *name, Device device, Precision precision) {
  static char label[64];
  snprintf(label, sizeof label, "%s on %s in %s", name, device_name(device), precision_name(precision));
  return label;
}

// Parses the arguments of a test program: argv[1] is the device, argv[2] a pattern for the names of the tests to run.
// Returns false if the device is absent; the program should then exit with EXIT_SKIPPED.
static inline bool choose_device(int count, char **words, Device *device) {
  *device = count > 1 && strcmp(words[1], "cuda") == 0 ? DEVICE_CUDA : DEVICE_CPU;
  if (count > 2) cmocka_set_test_filter(words[2]);
  if (!device_present(*device)) printf("skipped: %s\n", device_absence());
  return device_present(*device);
}

// Copies the complete state of a simulation to another one, by simulation_save and simulation_restore.
static inline void copy_state(Simulation *from, Simulation *to) {
  Error error = { 0 };
  char *bytes;
  size_t size;
  FILE *memory = open_memstream(&bytes, &size);
  MUST(simulation_save(from, memory, &error));
  fclose(memory);
  Bytes whole = { .at = (unsigned char *)bytes, .end = (unsigned char *)bytes + size };
  MUST(simulation_restore(to, &whole, &error));
  free(bytes);
}

// Gives all nodes of the body the same velocity, m/s. The positions do not change.
static inline void throw_body(Simulation *simulation, const TetMesh *mesh, const double velocity[3]) {
  Error error = { 0 };
  double *mass = malloc(sizeof *mass * (size_t)mesh->node_count);
  double(*p)[3] = malloc(sizeof *p * (size_t)mesh->node_count);
  mesh_lumped_mass(mesh, simulation_settings(simulation)->density, mass);
  for (int a = 0; a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) p[a][i] = mass[a] * velocity[i];
  MUST(simulation_set_state(simulation, NULL, (const double(*)[3])p, &error));
  free(mass);
  free(p);
}

// Simulates a free vibration. A beam of 0.1 m x 0.1 m x 0.3 m is clamped at z = 0 and starts with the sideways velocity
// speed * z in m/s, with speed in 1/s and z in m. Returns the largest change of kinetic plus elastic energy, relative
// to its initial value. *sum receives the totals of the step reports; its `substeps` is the number of steps with
// several substeps.
static inline double vibration_energy_change(const SimulationSettings *settings, int cells, double speed, int steps,
                                             StepReport *sum) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Simulation *simulation;
  MUST(mesh_make_shape("box", (double[3]){ 0.1, 0.1, 0.3 }, cells, &mesh, &error));
  const size_t n = (size_t)mesh.node_count;
  uint8_t *pinned = calloc(n, 1);
  double *mass = malloc(sizeof *mass * n), (*p)[3] = calloc(n, sizeof *p);
  mesh_lumped_mass(&mesh, settings->density, mass);
  for (int a = 0; a < mesh.node_count; a++) {
    pinned[a] = mesh.X[a][2] < 1e-9 ? PIN_ALL : 0;
    p[a][0] = pinned[a] ? 0 : speed * mass[a] * mesh.X[a][2];
  }
  MUST(simulation_create(&simulation, &mesh, settings, pinned, &error));
  MUST(simulation_set_state(simulation, NULL, (const double(*)[3])p, &error));
  Energy energy;
  MUST(simulation_energy(simulation, &energy, &error));
  const double at_start = energy.kinetic + energy.elastic;
  double worst = 0;
  *sum = (StepReport){ .converged = true };
  for (int k = 0; k < steps; k++) {
    StepReport report;
    MUST(simulation_step(simulation, &report, &error));
    sum->damped += report.damped;
    sum->rounded += report.rounded;
    sum->substeps += report.substeps > 1;
    sum->newton_iterations += report.newton_iterations;
    sum->backtracks += report.backtracks;
    sum->converged = sum->converged && report.converged;
    MUST(simulation_energy(simulation, &energy, &error));
    worst = fmax(worst, fabs(energy.kinetic + energy.elastic - at_start) / at_start);
  }

  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  free(pinned);
  free(mass);
  free(p);
  return worst;
}
