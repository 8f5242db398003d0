// The midpoint rule's own arithmetic on a body's state: everything of a time step that is neither assembly nor linear
// solve. Twins midpoint.c and midpoint.cu; newton.c strings the operations together and is the same for both.
//   h(x1) = m (x1 - x0)/dt + dt/2 f((x0 + x1)/2),   f = internal - external force        (paper 000, Eq. 4)
//   Newton solves h(x1) = p0;   then p1 = m (x1 - x0)/dt - dt/2 f((x0 + x1)/2)           (Eq. 5)
//   tangent = m/dt + dt/4 K: the factor of Eq. 6 halved, by the chain rule of the midpoint; tests check it
// in terms of displacements u = x - X - origin. Damping adds the force -damping m (x1 - x0)/dt. External forces are
//   load + pull - spring u - damper (u1 - u0)/dt  at the middle:  load is constant; springs of stiffness `spring` pull
//   each grabbed node to pull / spring, and enter the tangent on the diagonal. The floor acts at the end of the step:
//   see force/floor.h.
// The same operations take a backward Euler step, in which forces act at u1, with dt in place of dt/2, and
// p1 = m (x1 - x0)/dt: it damps what the midpoint rule lets ring, and is the way out where that fails. BDF2 is such a
// step of 2/3 dt from a state extrapolated by the one before.
#pragma once
#include <math.h>

#include "sim/force/floor.h"
#include "sim/sparse/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SPRING_VALUES = 5, ENERGY_SUMS = 9 };

// Sums over the free unknowns, and what the last assembly saw.
typedef struct ResidualSums {
  double residual2;  // ||p - h||^2
  double momentum2, internal2,
      external2;     // norms squared of the residual's terms p, impulse f_internal, impulse f_external
  double rounding2;  // ||diagonal(tangent) * nodal data||^2: times epsilon^2, what rounding those does to the residual
  double min_J;      // smallest det F: of the middle, and of the trial state where that was asked for
} ResidualSums;

// On the device all but sums_host; [n] unknowns, three a node. real unless said otherwise.
typedef struct Midpoint {
  Device device;
  Precision precision;
  int node_count, tet_count, n;
  void *X;                       // [n] reference positions
  void *u0, *p0;                 // [n] displacement and momentum at the start of the step
  void *u1, *trial;              // [n] Newton's iterate and the line search's candidate
  void *middle;                  // [n] u0 + theta (trial - u0): where forces act
  void *nodal;                   // [n] the element's nodal data there: middle itself, or X + middle
  void *F;                       // [n] impulse times the internal force at the middle
  void *residual, *du;           // [n] p0 - h(trial), and the Newton direction
  void *shift;                   // [n] what is not stiffness on the tangent's diagonal, then [node_count] at (x, y)
  void *diagonal;                // [n] the tangent's whole diagonal
  void *load, *pull;             // [n] N
  void *spring, *damper;         // [node_count] N/m and N s/m
  void *mass;                    // [node_count] kg
  Floor floor;                   // what of it is the same for all nodes
  void *contact;                 // [node_count] m, times the floor's modulus a node's stiffness against it
  void *anchor;                  // [node_count][2] m, see force/floor.h: part of the state
  // [3] double, m: displacements are from here. It follows a body that nothing holds, so that float keeps its digits for
  // the body's deformation: at 5 m they are 5e-7 m apart, which in rubber is a stress of the size of its own weight
  double *origin;
  bool held;                     // some unknown is fixed
  uint8_t *fixed;                // [n] 1: pinned
  int *tet;                      // [tet_count][4]
  int *user_node;                // [node_count] the user's number of each node
  void *supplemental;            // [tet_count][ELEMENT_SUPPLEMENTAL], for the energy
  void *stiffness;               // [tet_count], as in TetMesh; NULL: all 1
  void *scratch;                 // partial sums
  ResidualSums *sums;            // on the device
  ResidualSums *sums_host;       // pinned; valid after stream_sync
  double *energy, *energy_host;  // [ENERGY_SUMS]: kinetic, elastic, linear [3], angular [3], potential
} Midpoint;

// The coefficients of one (sub)step; see midpoint_step and euler_step.
typedef struct MidpointStep {
  double dt;       // s
  double theta;    // where forces act: 1/2 or 1
  double impulse;  // s, on forces in h: dt/2 or dt
  double keep;     // on the same impulse in p1: 1 or 0
  double inertia;  // 1/s, on m (u1 - u0) in h: 1/dt and damping's share
  double carry;    // 1/s, the same in p1
  // s: nodes that would be below the floor after as long at their present speed count as touching it, for Newton's first
  // linear system, so that it need not find them one by one; 0: only those that do touch
  double foresight;
} MidpointStep;

static inline MidpointStep midpoint_step(double dt, double damping) {
  const MidpointStep step = { dt, 0.5, dt / 2, 1, 1 / dt + damping / 2, 1 / dt - damping / 2, 0 };
  return step;
}
static inline MidpointStep euler_step(double dt, double damping) {
  const MidpointStep step = { dt, 1, dt, 0, 1 / dt + damping, 1 / dt, 0 };
  return step;
}
// Static equilibrium: no inertia, no time; h is what the forces at u1 leave unbalanced, in N.
static inline MidpointStep static_step(void) {
  const MidpointStep step = { (double)INFINITY, 1, 1, 0, 0, 0, 0 };
  return step;
}

typedef struct MidpointOperations {
  Device device;
  Precision precision;
  size_t (*scratch_bytes)(const Midpoint *m);  // that Midpoint.scratch must have

  /// S(e) of all tets [tet_count][ELEMENT_SUPPLEMENTAL] on the host, for Midpoint.supplemental. free() releases it.
  void *(*supplemental)(const TetMesh *mesh, size_t *bytes, Error *error);

  /// trial = u1 + factor du, middle = u0 + theta (trial - u0), and nodal. A factor of zero does not read du.
  bool (*try_step)(const Midpoint *m, const MidpointStep *step, double factor, Stream stream, Error *error);

  /// residual, from F, middle, trial and diagonal, and its sums; copies them to sums_host. `min_J` [min_J_count] is the
  /// assembly's, of the middle, on this device. The middle of two good states may be good and the second
  /// inverted all the same (x1 = 2 middle - x0), so `check_trial` looks at J there too.
  bool (*residual)(const Midpoint *m, const MidpointStep *step, const void *min_J, int min_J_count, bool check_trial,
                   Stream stream, Error *error);

  /// u0 and p0 of the free unknowns become (4 now - before)/3, `before` [n] being the state one step earlier: BDF2.
  bool (*extrapolate)(const Midpoint *m, const void *u_before, const void *p_before, Stream stream, Error *error);

  /// shift = m inertia + impulse (theta spring + damper/dt), and the floor's share where u1 touches it.
  bool (*diagonal_shift)(const Midpoint *m, const MidpointStep *step, Stream stream, Error *error);

  /// anchor, where u0 is on the floor; with `anew` every node's is where it stands.
  bool (*set_anchors)(const Midpoint *m, bool anew, Stream stream, Error *error);

  /// Moves origin to where node 0 will be if it moves on as since u_start [n], so that forces at the end of the next step
  /// are those of small displacements; u0, anchor and u_before [n] then count from there.
  bool (*recentre)(const Midpoint *m, const void *u_start, void *u_before, Stream stream, Error *error);

  /// p0 = Eq. 5 from F and middle, u0 = u1, and anchor where there is a floor. Pinned nodes keep no momentum.
  bool (*finish)(const Midpoint *m, const MidpointStep *step, Stream stream, Error *error);

  /// Sets spring, damper and pull of the listed nodes. Arrays on the device: nodes [count], and values
  /// [count][SPRING_VALUES] double: spring, damper, pull.
  bool (*set_springs)(const Midpoint *m, const int *nodes, const double *values, int count, Stream stream,
                      Error *error);

  /// energy of (u0, p0), momenta, and the potential of load, springs and floor (0 at rest); copies them to energy_host.
  bool (*energy)(const Midpoint *m, double mu, double lambda, Stream stream, Error *error);

  /// positions [node_count][3] float = X + u0, in the user's order of nodes.
  bool (*positions)(const Midpoint *m, float *positions, Stream stream, Error *error);
} MidpointOperations;

extern const MidpointOperations *const midpoint_operations[];  // NULL-terminated, one for each device and precision

#ifdef __cplusplus
}
#endif
