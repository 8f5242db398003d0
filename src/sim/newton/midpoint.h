// The midpoint rule's own arithmetic on a body's state: everything of a time step that is neither assembly nor linear
// solve. Twins midpoint.c and midpoint.cu; newton.c strings the operations together and is the same for both.
//   h(x1) = m (x1 - x0)/dt + dt/2 f((x0 + x1)/2),   f = internal - external force        (paper 000, Eq. 4)
//   Newton solves h(x1) = p0;   then p1 = m (x1 - x0)/dt - dt/2 f((x0 + x1)/2)           (Eq. 5)
//   tangent = m/dt + dt/4 K: the factor of Eq. 6 halved, by the chain rule of the midpoint; tests check it
// in terms of displacements u = x - X. Damping adds the force -damping m (x1 - x0)/dt. External forces are
//   load + pull - spring u  at the middle:  load is constant; springs of stiffness `spring` pull each grabbed node to
//   pull / spring, and enter the tangent with dt/4 spring on the diagonal.
#pragma once
#include "sim/sparse/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

// Sums over the free unknowns, and what the last assembly saw.
typedef struct ResidualSums {
  double residual2;  // ||p - h||^2
  double momentum2, internal2, external2;  // norms squared of the residual's terms p, dt/2 f_internal, dt/2 f_external
  double rounding2;  // ||diagonal(tangent) * u||^2: times epsilon^2, what rounding u alone does to the residual
  double min_J;      // smallest det F: of the middle, and of the trial state where that was asked for
} ResidualSums;

// On the device all but sums_host; [n] unknowns, three a node. real unless said otherwise.
typedef struct Midpoint {
  Device device;
  Precision precision;
  int node_count, tet_count, n;
  void *X;                   // [n] reference positions
  void *u0, *p0;             // [n] displacement and momentum at the start of the step
  void *u1, *trial;          // [n] Newton's iterate and the line search's candidate
  void *middle;              // [n] (u0 + trial) / 2
  void *F;                   // [n] dt/2 times the internal force at the middle
  void *residual, *du;       // [n] p0 - h(trial), and the Newton direction
  void *load, *pull;         // [n] N
  void *spring;              // [node_count] N/m
  void *mass;                // [node_count] kg
  uint8_t *fixed;            // [n] 1: pinned
  int *tet;                  // [tet_count][4]
  void *supplemental;        // [tet_count][ELEMENT_SUPPLEMENTAL], for the energy
  void *scratch;             // partial sums
  ResidualSums *sums;        // on the device
  ResidualSums *sums_host;   // pinned; valid after stream_sync
  double *energy, *energy_host;  // [8]: kinetic, elastic, linear [3], angular [3]
} Midpoint;

// The coefficients of one (sub)step of length dt.
typedef struct MidpointStep {
  double inertia;   // 1/dt + damping/2
  double carry;     // 1/dt - damping/2, in Eq. 5
  double half_dt;
} MidpointStep;

typedef struct MidpointOperations {
  Device device;
  Precision precision;
  size_t (*scratch_bytes)(const Midpoint *m);  // that Midpoint.scratch must have

  /// S(e) of all tets [tet_count][ELEMENT_SUPPLEMENTAL] on the host, for Midpoint.supplemental. free() releases it.
  void *(*supplemental)(const TetMesh *mesh, size_t *bytes, Error *error);

  /// trial = u1 + factor du and middle = (u0 + trial)/2. A factor of zero does not read du.
  bool (*try_step)(const Midpoint *m, double factor, Stream stream, Error *error);

  /// residual, from F, middle and trial, and its sums; copies them to sums_host. `diagonal` [n] is the tangent's,
  /// `min_J` [min_J_count] the assembly's, of the middle. The middle of two good states may be good and the second
  /// inverted all the same (x1 = 2 middle - x0), so `check_trial` looks at J there too.
  bool (*residual)(const Midpoint *m, const MidpointStep *step, const void *diagonal, const void *min_J, int min_J_count,
                   bool check_trial, Stream stream, Error *error);

  /// Adds what is not stiffness to the tangent: diagonal += m inertia + dt/4 spring.
  bool (*add_diagonal)(const Midpoint *m, const MidpointStep *step, void *diagonal, Stream stream, Error *error);

  /// p0 = Eq. 5 from F and middle, u0 = u1. Pinned nodes keep no momentum.
  bool (*finish)(const Midpoint *m, const MidpointStep *step, Stream stream, Error *error);

  /// Sets spring and pull of the listed nodes. Arrays on the device: nodes [count], values [count][4] double: spring,
  /// then pull.
  bool (*set_springs)(const Midpoint *m, const int *nodes, const double *values, int count, Stream stream, Error *error);

  /// energy of (u0, p0), and momenta; copies them to energy_host.
  bool (*energy)(const Midpoint *m, double mu, double lambda, Stream stream, Error *error);

  /// positions [n] float = X + u0.
  bool (*positions)(const Midpoint *m, float *positions, Stream stream, Error *error);
} MidpointOperations;

extern const MidpointOperations *const midpoint_operations[];  // NULL-terminated, one for each device and precision

#ifdef __cplusplus
}
#endif
