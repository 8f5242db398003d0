// A session is a running scene: its mesh, its simulation, and its scripted forces, drags and cuts. The window, the
// recorder and the benchmark use this interface.
#pragma once
#include "base/formula.h"
#include "mesh/boundary_faces.h"
#include "scene/energy_budget.h"
#include "scene/form.h"
#include "scene/scene_bodies.h"

enum { SESSION_PULLS_MAX = 32, DRAG_TORN = -1 };

// A pull: a patch of the surface that the user pulls. Its target is an offset from the position at which the patch was
// grabbed, m.
typedef struct SessionPull {
  int id;                 // id of its grab in the simulation (simulation_grab); 0: no grab
  int nodes[3];           // nodes of the picked surface triangle
  double barycentric[3];  // barycentric coordinates of the picked point in the triangle
  double start[3];        // m, position of the picked point when it was grabbed
  double goal[3];         // m, position of the mouse minus `start`
  double offset[3];       // m, target of the simulation's springs minus `start`; it follows `goal`
  double pushes;          // m. If above 0, the mouse does not pull by springs, but pushes with a ball of this radius.
                          // `id` is then 0, and `start` is the first position of the ball's centre
} SessionPull;

// The nodes of all scripted forces. Force k acts on node[start[k]] to node[start[k + 1] - 1].
typedef struct ForceNodes {
  int *node, start[SCENE_PARTS_MAX + 1];
  // for each element of `node`: its weight when a total force is divided among the nodes. It is the integral of the
  // node's shape function over faces, m^2, or of density times shape function over the volume, kg
  double *share;
  double whole[SCENE_PARTS_MAX];         // sum of `share` over the nodes of each force
  BoundaryFaces faces[SCENE_PARTS_MAX];  // faces on which force k acts, if it is a traction or a pressure
  Formula formula[SCENE_PARTS_MAX][3];   // formulas of the components of each force; empty: the component is a number
} ForceNodes;

typedef struct Session {
  Scene scene;                                    // copy of the scene, with the present settings
  BodyConstants body_constants[SCENE_PARTS_MAX];  // material constants with which the scene's bodies were made
  Form *form, *scene_form;                        // form: present form (form.h). scene_form: form of the scene's mesh.
                                                  // The session has a reference to each
  int form_changes;  // number of times that `form` was replaced, by a cut or by an earlier form
  TetMesh mesh;      // copies of form->mesh and form->surface; `form` owns their arrays
  Surface surface;
  ObstacleSurface *obstacle_surface[OBSTACLES_MAX];  // surfaces of the mesh obstacles; NULL for other obstacles
  double *mass;                                      // [node_count], lumped mass of each node, kg
  Simulation *simulation;                            // the running simulation of the present form
  int drag_ids[SCENE_PARTS_MAX];                     // grab ids of the scripted drags; 0: the drag does not act;
                                                     // DRAG_TORN: it has ended, because all its nodes were torn out
  int64_t load_key;          // scripted forces in the simulation's present load: bit k is 1 if force k acts; -1:
                             // unknown
  double load_time;          // s, time for which the present load was computed
  double (*force)[3];        // [node_count], N, work array for loads
  double (*given_force)[3];  // [node_count], N, forces of session_give_forces, which are added to the scripted forces;
                             // NULL: none
  bool loads_stale;          // true: all loads must be set again, since given_force has changed or the last attempt
                             // failed
  ForceNodes force_nodes;    // nodes on which the scripted forces act
  uint8_t *inside;           // [node_count], work array for regions
  uint8_t *pinned;  // [node_count], fixed axes of each node at present: PIN_X, PIN_Y, PIN_Z and PIN_FOLLOWS as bits
  uint8_t *scene_pinned;   // [nodes of the scene's mesh], fixed axes at the start
  uint8_t *script_pinned;  // [nodes of the scene's mesh], axes that the scene's list of pins fixes
  RigidMotion *motions;    // [motion_count], motions of pins: see session_supports.h
  int motion_count;        // number of motions of pins
  // [nodes of the scene's mesh], number of the motion that each unknown follows, counted from 1; 0: none.
  uint16_t (*support)[3];
  // [pull_count], pulls that the user has left in place; their goal and offset are equal
  SessionPull pulls[SESSION_PULLS_MAX];
  int pull_count;        // number of pulls that the user has left in place
  SessionPull *mouse;    // present pull of the mouse, borrowed; NULL: none. Cuts renumber its nodes
  double cut_until;      // s: all scripted cuts up to this time are done
  bool expects_cuts;     // true: each new simulation reserves memory for cuts (session_expect_cuts)
  unsigned char *begin;  // [begin_size], initial state of the scene, see session_state.h; NULL: at rest
  size_t begin_size;     // bytes of `begin`
  uint32_t begin_sum;    // CRC-32 of `begin` or of the scene's initial_fields; 0: the session has neither
  int64_t begin_step;    // number of the step at the start of the session
  double begin_time;     // simulated time at the start of the session, s
  // For a scene that starts with intersecting surfaces (Scene.shows_crossings). Contact is off until the intersections
  // have ended.
  struct CrossingMarks *crossing_marks;  // NULL: the scene does not start with intersections
  uint8_t *crossing;      // [node_count], 1: at present the surface intersects itself at this node; may be NULL
  int64_t crossings;      // number of edges that intersect triangles
  int64_t stepped, idle;  // stepped: number of steps since the start. idle: number of steps that needed no Newton
                          // iteration
  double idle_residual, idle_tolerance;  // kg m/s, residual and tolerance of the last step that needed no Newton
                                         // iteration
  int64_t unconverged;                   // number of steps since the start in which Newton's method did not converge;
                                         // their results are used all the same
  char trouble[480];                     // message about the last step that did not converge
  // Changes of energy and angular momentum by the integrator. Only the session's user updates it, when it needs the
  // values; session_reset clears it.
  EnergyBudget budget;
} Session;

/// Reads the mesh and creates the simulation. Copies the scene. Writes *session only on success. From this call on,
/// denormal numbers are flushed to zero in the calling thread (device_flush_denormals).
bool session_create(Session *session, const Scene *scene, Error *error);
void session_destroy(Session *session);

/// Applies the scripted cuts, forces and drags of the next step, then takes the step.
bool session_step(Session *session, StepReport *report, Error *error);

/// Adds forces, force [node_count][3], N, to the scripted forces. They act from the next step on, until the next call
/// of this function; NULL: no forces. A cut removes them. Fails if memory runs out. A force beyond the range of the
/// precision makes the next step fail.
bool session_give_forces(Session *session, const double (*force)[3], Error *error);

/// Changes settings of the running simulation by simulation_adjust, and stores them in session->scene.
bool session_adjust(Session *session, const SimulationSettings *settings, Error *error);

/// Creates a new simulation in the present state, with other settings that cannot be changed while a simulation runs,
/// such as device, precision and methods of the stages (APPLIES_ON_REBUILD in simulation_options). On failure nothing
/// changes. Takes about as long as session_create.
bool session_switch(Session *session, const SimulationSettings *settings, Error *error);

/// Creates a new simulation, as session_switch, with a ball of this radius, m, with which the user can push
/// (simulation_push). Does nothing if the simulation has a ball. *made is true if a simulation was created. Fails
/// without self_contact.
bool session_make_pusher(Session *session, double radius, bool *made, Error *error);

/// Pins nodes at their present positions: those whose position at rest is closer than `radius`, m, to X, and always the
/// nearest node. If the nearest node is pinned already, releases these nodes.
bool session_pin(Session *session, const double X[3], double radius, Error *error);

/// Releases all nodes that session_pin has pinned. If `again` is true, also pins those nodes of the scene's pins that
/// session_pin has released, at their present positions. *changed is true if a pin has changed.
bool session_unpin(Session *session, bool again, bool *changed, Error *error);

/// Writes notices to standard error: the number of steps that did not converge, with the cause of the last one; the
/// mass that was torn out; and if no step needed a Newton iteration because the tolerance is too large. If none of the
/// three is true, writes nothing.
void session_report_trouble(const Session *session);

/// Returns to the initial state and to the start of the scripted forces, drags and cuts. Pins of session_pin are kept.
bool session_reset(Session *session, Error *error);
