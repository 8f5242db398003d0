// A session is a running scene: its mesh, its simulation, and the forces, drags (springs that pull nodes along paths)
// and cuts that the scene prescribes. The window, recordings and benchmarks use this interface.
#pragma once
#include "base/formula.h"
#include "base/work_arrays.h"
#include "mesh/boundary_faces.h"
#include "mesh/distribute.h"
#include "scene/energy_budget.h"
#include "scene/form.h"
#include "scene/scene_bodies.h"

enum { SESSION_PULLS_MAX = 32, DRAG_TORN = -1 };

// The user's action on a picked point of the surface: springs that pull a patch of the surface, or a ball that pushes
// it.
typedef struct SessionPull {
  int id;                 // number by which the simulation identifies these springs (simulation_grab); 0: no springs
  int nodes[3];           // nodes of the picked surface triangle
  double barycentric[3];  // barycentric coordinates of the picked point in its triangle
  double start[3];        // m, position of the picked point when the pull began
  double goal[3];         // m, position to which the mouse has moved the picked point, minus `start`
  double offset[3];       // m, point to which the springs pull, minus `start`; it approaches `goal` from step to step
  // m, radius of the ball that pushes the body. With a ball, `id` is 0, and `start` is the first position of the ball's
  // centre. 0: the pull has springs and no ball.
  double pushes;
} SessionPull;

// Nodes and faces on which the scene's forces act. Force k acts on the nodes node[start[k]] to node[start[k + 1] - 1].
typedef struct ForceNodes {
  int *node, start[SCENE_PARTS_MAX + 1];
  // Weight of each element of `node`. If force k is a total force, the node gets the fraction share / whole[k] of it.
  // The weight is the integral of the node's shape function over faces, m^2, or of the scene's density (not the density
  // of a body) times this function over cells, kg.
  double *share;
  double whole[SCENE_PARTS_MAX];         // sum of the weights `share` of each force
  BoundaryFaces faces[SCENE_PARTS_MAX];  // faces on which force k acts, if it is a traction or a pressure
  Formula formula[SCENE_PARTS_MAX][3];   // formulas of each force's components; empty: the component is a number
} ForceNodes;

typedef struct Session {
  Scene scene;                                    // copy of the scene, with the present settings
  BodyConstants body_constants[SCENE_PARTS_MAX];  // material constants of the bodies when the session was created
  // form: the present mesh of the body, for example after cuts (form.h). scene_form: the mesh that the scene describes.
  // The session owns a reference to each.
  Form *form, *scene_form;
  int form_changes;  // number of times that `form` was replaced, for example by cuts
  // Copy of form->mesh, whose arrays `form` owns. If the body is divided among processes, only process 0 has all cells
  // (session_ranks.h).
  TetMesh mesh;
  // Copy of form->surface, whose arrays `form` owns. If the body is divided among processes, only process 0 has it.
  Surface surface;
  ObstacleSurface *obstacle_surface[OBSTACLES_MAX];  // triangles of mesh obstacles; NULL for other obstacles
  MeshDivision *division;                            // division of the mesh among processes; NULL: there is none
  uint32_t whole_sum;                                // checksum of the whole mesh (scene_body_sum) with `division`
  double *mass;                                      // [node_count] kg, lumped masses
  Simulation *simulation;                            // simulation of the body in its present form (mesh)
  int64_t replaced;                                  // number of times that another simulation has replaced it
  // For each drag of the scene, the number by which the simulation identifies its springs (simulation_grab). 0: the
  // drag is inactive. DRAG_TORN: all nodes that it pulled were torn out.
  int drag_ids[SCENE_PARTS_MAX];
  int drags_before[SCENE_PARTS_MAX];  // copy of drag_ids at the start of the present step
  // forces of the scene that are part of the present load: bit k is set for force k; -1: unknown
  int64_t load_key;
  double load_time;          // s, time for which the present load was computed
  double (*force)[3];        // [node_count] N, temporary memory in which loads are computed
  double (*given_force)[3];  // [node_count] N, added to the forces of the scene (session_give_forces); NULL: none
  bool loads_stale;          // true: the next step must compute all loads again
  ForceNodes force_nodes;    // nodes and faces of the forces of the scene
  uint8_t *inside;           // [node_count], temporary marks of the nodes in a region
  // [node_count], axes along which each node is held now: bits PIN_X, PIN_Y, PIN_Z and PIN_FOLLOWS
  uint8_t *pinned;
  uint8_t *scene_pinned;   // [nodes of the scene's mesh], axes along which nodes are held at the start
  uint8_t *script_pinned;  // [nodes of the scene's mesh], axes that the scene's pins hold
  RigidMotion *motions;    // [motion_count], motions of pins, see session_supports.h
  int motion_count;        // number of motions of pins
  // [nodes of the scene's mesh]. Component i of node a follows the motion motions[support[a][i] - 1] of a pin, or no
  // motion if support[a][i] is 0.
  uint16_t (*support)[3];
  // [pull_count], pulls that continue after the user has released the mouse; their goal and offset are equal
  SessionPull pulls[SESSION_PULLS_MAX];
  int pull_count;        // number of elements in `pulls`
  SessionPull *mouse;    // pull by the held mouse, not owned; NULL: none. Cuts renumber its nodes
  double cut_until;      // s, all cuts of the scene up to this time have been made
  bool expects_cuts;     // true: each new simulation reserves memory for cuts
  unsigned char *begin;  // [begin_size] bytes, saved state in which the session starts (session_state.h); NULL: none
  size_t begin_size;     // bytes of `begin`
  uint32_t begin_sum;    // checksum (CRC-32) of `begin`, or of the scene's initial_fields; 0: the scene has neither
  int64_t begin_step;    // number of steps until `begin` was saved; 0 without it
  double begin_time;     // s, simulated time at which `begin` was saved; 0 without it
  // true: the user has not given self_contact, and the scene has chosen it. It is then off while the body is cut.
  bool contact_yields;
  // The next three members are used if the scene starts with intersecting surfaces (Scene.shows_crossings). Contact is
  // off until the surfaces no longer intersect.
  struct CrossingMarks *crossing_marks;  // NULL: the scene starts without intersections
  uint8_t *crossing;                     // [node_count] 1: surfaces intersect at the node now; may be NULL
  // number of pairs of an edge and a triangle that intersect, plus number of nodes of pieces inside an obstacle
  int64_t crossings;
  // number of steps since the start, and number of steps among them that needed no Newton iteration
  int64_t stepped, idle;
  double idle_residual, idle_tolerance;  // kg m/s, residual and tolerance of the last step without a Newton iteration
  int64_t unconverged;                   // number of steps that did not converge but were accepted
  char trouble[480];                     // message about the last step that did not converge
  int frames;                            // for checkpoints: number of complete frames of the recording
  // Errors of energy and angular momentum that the time integrator has caused. A caller that needs them must call
  // energy_budget_update; the session does not. session_reset clears them.
  EnergyBudget budget;
  WorkArrays work;  // arrays of the functions that set the initial state
} Session;

/// Fails if session_create would refuse settings of the scene for any mesh and any device: a value out of range,
/// settings that exclude each other, or an unknown name of a material, solver or matrix format. Does not read the mesh.
bool session_check_settings(Scene *scene, Error *error);

/// Copies the scene, reads its mesh and creates the simulation. Writes *session only on success. From this call on,
/// denormal numbers are flushed to zero in this thread (device_flush_denormals).
bool session_create(Session *session, const Scene *scene, Error *error);
void session_destroy(Session *session);

/// Applies the cuts, forces and drags (springs that pull nodes along paths) that the scene prescribes for the next time
/// step. Then computes this step.
bool session_step(Session *session, StepReport *report, Error *error);

/// The two halves of session_step, for callers that compute time steps of many sessions at once. Between the two calls,
/// simulations_take (simulation.h) may solve the steps of all simulations together.
bool session_begin_step(Session *session, StepReport *report, Error *error);
bool session_end_step(Session *session, StepReport *report, Error *error);

/// Forgets the intersections with which the scene began. Self-contact, which was to begin after their end, stays off.
void session_forget_crossings(Session *session);

/// Adds given forces [node_count], N, to the scene's forces in every step until the next call of this function. NULL
/// removes the given forces, and so does a cut. Fails if memory is short. A force beyond the range of the precision
/// makes the next step fail.
bool session_give_forces(Session *session, const double (*force)[3], Error *error);

/// As session_give_forces, with forces in the memory of the simulation's GPU, floats or doubles. They are not checked.
/// The work is queued on simulation_stream.
bool session_give_forces_there(Session *session, const void *force, Precision precision, Error *error);

/// Copies the given forces to force [node_count][3], N; zeros if there are none.
bool session_given_forces(Session *session, double (*force)[3], Error *error);

/// Changes settings of the running simulation (simulation_adjust), and copies them to session->scene.
bool session_adjust(Session *session, const SimulationSettings *settings, Error *error);

/// Creates the simulation again in its present state, with other settings. These may include settings that a running
/// simulation cannot change, such as device, precision and methods. After a failure nothing has changed. Takes as long
/// as session_create.
bool session_switch(Session *session, const SimulationSettings *settings, Error *error);

/// Adds a ball of this radius, m, with which the user can push the body (simulation_push). Does nothing if the
/// simulation has such a ball. Otherwise the simulation is created again, as by session_switch, and *made is set to
/// true. Fails without self_contact.
bool session_make_pusher(Session *session, double radius, bool *made, Error *error);

/// Selects the node whose position at rest is nearest to X, m, and the nodes of its body whose positions at rest are
/// within `radius`, m, of X. Pins them at their present positions; or, if the nearest node is pinned already, releases
/// them.
bool session_pin(Session *session, const double X[3], double radius, Error *error);

/// Releases all nodes that session_pin has pinned. With again = true, also pins nodes again that the scene pins and
/// session_pin has released, at their present positions. Sets *changed to true if a pin has changed.
bool session_unpin(Session *session, bool again, bool *changed, Error *error);

/// Writes notices about steps that did not converge, and about the mass of cells that were torn out. If no step needed
/// a Newton iteration, writes a notice with the cause: no force acts, or a tolerance is too large. Writes nothing if
/// nothing of this kind has happened.
void session_report_trouble(const Session *session);

/// Returns to the initial state. The scene's forces, drags and cuts begin again. Pins of session_pin do not change.
bool session_reset(Session *session, Error *error);

/// The two halves of session_reset, for the reset of many sessions. Between the two calls, the state of the session's
/// simulation must be set to zero, as simulation_end_reset (simulation.h) does.
bool session_begin_reset(Session *session, Error *error);
bool session_end_reset(Session *session, Error *error);
