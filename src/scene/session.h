// A session is a running scene: its mesh, its simulation, and the forces, drags (springs that pull nodes along paths)
// and cuts that the scene prescribes. The window, recordings and benchmarks use this interface.
#pragma once
#include "base/formula.h"
#include "mesh/boundary_faces.h"
#include "scene/energy_budget.h"
#include "scene/form.h"
#include "scene/scene_bodies.h"

enum { SESSION_PULLS_MAX = 32, DRAG_TORN = -1 };

// A pull of the user on a patch of the surface, by springs or by a ball.
typedef struct SessionPull {
  int id;                 // number of its springs in the simulation (simulation_grab); 0: none
  int nodes[3];           // nodes of the picked surface triangle
  double barycentric[3];  // barycentric coordinates of the picked point in its triangle
  double start[3];        // m, position of the picked point when the pull began
  double goal[3];         // m, position of the mouse minus `start`
  double offset[3];       // m, target of the springs minus `start`; it follows `goal`
  // Radius of a ball that pushes the body, m; then `id` is 0, and `start` is the first position of the ball's centre.
  // 0: the pull has springs and no ball.
  double pushes;
} SessionPull;

// Nodes and faces on which the scene's forces act. Force k acts on the nodes node[start[k]] to node[start[k + 1] - 1].
typedef struct ForceNodes {
  int *node, start[SCENE_PARTS_MAX + 1];
  // weight of each element of `node`: the node gets the fraction share / whole of a total force. The weight is the
  // integral of the node's shape function over faces, m^2, or of density times this function over cells, kg
  double *share;
  double whole[SCENE_PARTS_MAX];         // sum of the weights of each force
  BoundaryFaces faces[SCENE_PARTS_MAX];  // faces on which force k acts, if it is a traction or a pressure
  Formula formula[SCENE_PARTS_MAX][3];   // formulas of each force's components; empty: a number
} ForceNodes;

typedef struct Session {
  Scene scene;                                    // copy of the scene, with the present settings
  BodyConstants body_constants[SCENE_PARTS_MAX];  // material constants of the bodies when they were made
  // present mesh of the body (form.h), and the scene's mesh; the session has a reference to each
  Form *form, *scene_form;
  int form_changes;                                  // number of times that `form` was replaced
  TetMesh mesh;                                      // copy of form->mesh, whose arrays `form` owns
  Surface surface;                                   // copy of form->surface, whose arrays `form` owns
  ObstacleSurface *obstacle_surface[OBSTACLES_MAX];  // triangles of mesh obstacles; NULL for other obstacles
  double *mass;                                      // [node_count] kg, lumped masses
  Simulation *simulation;                            // simulation of the present form
  // for each drag of the scene, the number of its springs in the simulation (simulation_grab); 0: inactive; DRAG_TORN:
  // all its nodes were torn out
  int drag_ids[SCENE_PARTS_MAX];
  int drags_before[SCENE_PARTS_MAX];  // copy of drag_ids at the start of the present step
  int64_t load_key;          // forces of the scene in the present load: bit k is set if force k acts; -1: unknown
  double load_time;          // s, time for which the present load was computed
  double (*force)[3];        // [node_count] N, memory for computing loads
  double (*given_force)[3];  // [node_count] N, added to the forces of the scene (session_give_forces); NULL: none
  bool loads_stale;          // the next step must compute all loads again
  ForceNodes force_nodes;    // nodes and faces of the forces of the scene
  uint8_t *inside;           // [node_count], memory for nodes in a region
  uint8_t *pinned;           // [node_count], held axes of each node now: bits PIN_X, PIN_Y, PIN_Z and PIN_FOLLOWS
  uint8_t *scene_pinned;     // [nodes of the scene's mesh], held axes at the start
  uint8_t *script_pinned;    // [nodes of the scene's mesh], axes that the scene's pins hold
  RigidMotion *motions;      // [motion_count], motions of pins, see session_supports.h
  int motion_count;          // number of motions of pins
  // Number, from 1, of the pin motion that component i of node a of the scene's mesh follows: motions[support[a][i] -
  // 1]; 0: none.
  uint16_t (*support)[3];
  // [pull_count], pulls that the user has left in place; their goal and offset are equal
  SessionPull pulls[SESSION_PULLS_MAX];
  int pull_count;        // number of pulls that the user has left in place
  SessionPull *mouse;    // the mouse's pull, not owned; NULL: none. Cuts renumber its nodes
  double cut_until;      // s, all cuts of the scene up to this time are done
  bool expects_cuts;     // each new simulation reserves memory for cuts (session_expect_cuts)
  unsigned char *begin;  // [begin_size] bytes, initial state (session_state.h); NULL: at rest
  size_t begin_size;     // bytes of `begin`
  uint32_t begin_sum;    // CRC-32 of `begin` or of the scene's initial_fields; 0: neither exists
  int64_t begin_step;    // number of steps before the start of the session
  double begin_time;     // s, simulated time at the start of the session
  // The next three members are used if the scene starts with intersecting surfaces (Scene.shows_crossings). Contact is
  // off until the surfaces no longer intersect.
  struct CrossingMarks *crossing_marks;  // NULL: the scene starts without intersections
  uint8_t *crossing;                     // [node_count] 1: the surface intersects itself at the node now; may be NULL
  int64_t crossings;                     // number of edges that intersect triangles
  int64_t stepped, idle;                 // number of steps since the start, and of steps without a Newton iteration
  double idle_residual, idle_tolerance;  // kg m/s, residual and tolerance of the last step without a Newton iteration
  int64_t unconverged;                   // number of steps that did not converge but were accepted
  char trouble[480];                     // message about the last step that did not converge
  // Changes of energy and angular momentum by the integrator. A caller that needs them must call energy_budget_update;
  // the session does not. session_reset clears them.
  EnergyBudget budget;
} Session;

/// Copies the scene, reads its mesh and creates the simulation. Writes *session only on success. From then on, denormal
/// numbers are flushed to zero in this thread (device_flush_denormals).
bool session_create(Session *session, const Scene *scene, Error *error);
void session_destroy(Session *session);

/// Applies the cuts, forces and drags (springs that pull nodes along paths) that the scene prescribes for the next time
/// step. Then computes this step.
bool session_step(Session *session, StepReport *report, Error *error);

/// These functions are the two halves of session_step, for time steps of many sessions at once. Between the two calls,
/// simulations_take (simulation.h) may solve the steps of all simulations together.
bool session_begin_step(Session *session, StepReport *report, Error *error);
bool session_end_step(Session *session, StepReport *report, Error *error);

/// Adds forces [node_count], N, to those of the scene, in each step until the next call of this function; NULL: none. A
/// cut removes them. Fails if memory is short. A force beyond the range of the precision makes the next step fail.
bool session_give_forces(Session *session, const double (*force)[3], Error *error);

/// Changes settings of the running simulation (simulation_adjust) and of session->scene.
bool session_adjust(Session *session, const SimulationSettings *settings, Error *error);

/// Creates the simulation again in its present state, with other settings. These may include settings that a running
/// simulation cannot change, such as device, precision and methods. After a failure nothing has changed. Takes as long
/// as session_create.
bool session_switch(Session *session, const SimulationSettings *settings, Error *error);

/// Adds a ball of this radius, m, with which the user can push the body (simulation_push). Does nothing if there is a
/// ball. Otherwise the simulation is created again, as by session_switch, and *made is true. Fails without
/// self_contact.
bool session_make_pusher(Session *session, double radius, bool *made, Error *error);

/// Selects the node whose position at rest is nearest to X, m, and the nodes of its body whose positions at rest are
/// within `radius`, m, of X. Pins them at their present positions; or, if the nearest node is pinned already, releases
/// them.
bool session_pin(Session *session, const double X[3], double radius, Error *error);

/// Releases all nodes that session_pin has pinned. again = true: nodes that the scene pins, but session_pin has
/// released, are pinned again at their present positions. Sets *changed to true if a pin has changed.
bool session_unpin(Session *session, bool again, bool *changed, Error *error);

/// Writes notices about steps that did not converge, about the mass of cells that were torn out, and about a tolerance
/// so large that no step needed a Newton iteration. Writes nothing if there was no such trouble.
void session_report_trouble(const Session *session);

/// Returns to the initial state, from which the scene's forces, drags and cuts begin again. Pins of session_pin are
/// kept.
bool session_reset(Session *session, Error *error);

/// Two parts of session_reset, for the reset of many sessions. Between the two calls, simulations_end_reset
/// (simulation.h) must be called for the simulations of the sessions.
bool session_begin_reset(Session *session, Error *error);
bool session_end_reset(Session *session, Error *error);
