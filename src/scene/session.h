// A running scene: its mesh, its simulation, and its scripted forces, drags and cuts.
// Window, recorder and benchmark all use this interface.
#pragma once
#include "base/formula.h"
#include "mesh/boundary_faces.h"
#include "scene/form.h"
#include "scene/scene_bodies.h"

enum { SESSION_PULLS_MAX = 32, DRAG_TORN = -1 };

// A patch that the user pulls. Its target is an offset from the patch's position when it was grabbed, as in the input
// log and in simulation_drag.
typedef struct SessionPull {
  int id;                 // number of its grab in the simulation (simulation_grab); 0: none
  int nodes[3];           // nodes of the picked surface triangle
  double barycentric[3];  // the picked point in the triangle
  double start[3];        // m, position of this point when it was grabbed
  double goal[3];         // m from start: position of the mouse
  double offset[3];       // m from start: target of the simulation's springs, which follows the goal
  double pushes;          // m; if above 0, the mouse pushes with a ball of this radius instead of pulling by springs.
                          // `id` is then 0, and `start` is the first position of the ball's centre
} SessionPull;

// The nodes of all scripted forces: those of force k are node[start[k]] to node[start[k + 1] - 1].
typedef struct ForceNodes {
  int *node, start[SCENE_PARTS_MAX + 1];
  double *share;                         // of each entry of `node`: integral of its shape function over faces, m^2, or
                                         // over the volume, kg at the settings' density
  double whole[SCENE_PARTS_MAX];         // sum of the shares of each force
  BoundaryFaces faces[SCENE_PARTS_MAX];  // faces of tractions and pressures
  Formula formula[SCENE_PARTS_MAX][3];   // formulas of their values; empty: a number
} ForceNodes;

typedef struct Session {
  Scene scene;
  BodyConstants body_constants[SCENE_PARTS_MAX];  // constants with which its bodies were made
  Form *form, *scene_form;                        // present form and original form; the session has a reference to each
  int form_changes;                               // number of changes of `form`
  TetMesh mesh;                                   // mesh and surface are owned by `form`
  Surface surface;
  ObstacleSurface *obstacle_surface[OBSTACLES_MAX];  // surfaces of the mesh obstacles; NULL for other obstacles
  double *mass;                                      // [node_count], lumped, kg
  Simulation *simulation;
  int drag_ids[SCENE_PARTS_MAX];  // grab ids of the scripted drags; 0: the drag does not act;
                                  // DRAG_TORN: it has ended, because all its nodes were torn out
  int64_t load_key;               // scripted forces that are applied now: bit k is set for force k; -1: unknown
  double load_time;               // s, time for which they were computed
  double (*force)[3];             // [node_count], scratch for loads, N
  double (*given_force)[3];  // [node_count], N, forces of a caller, which are added to the scripted ones; NULL: none
  bool loads_stale;          // all loads must be set again: given_force has changed, or setting them failed
  ForceNodes force_nodes;    // nodes of the scripted forces
  uint8_t *inside;           // [node_count], scratch for regions
  uint8_t *pinned;           // [node_count], fixed axes of each node now; see simulation_create
  uint8_t *scene_pinned;     // [nodes of the scene's mesh], fixed axes at the start
  uint8_t *script_pinned;    // [nodes of the scene's mesh], fixed axes by the scene's list of pins
  RigidMotion *motions;      // [motion_count], motions of pins: see session_supports.h
  int motion_count;
  // [nodes of the scene's mesh], number of the motion that each unknown follows, counted from 1; 0: none.
  uint16_t (*support)[3];
  SessionPull pulls[SESSION_PULLS_MAX];  // kept pulls; their goal and offset are equal
  int pull_count;
  SessionPull *mouse;    // pull of the mouse, borrowed; cuts renumber its nodes; NULL: none
  double cut_until;      // s: all scripted cuts up to this time are done
  bool expects_cuts;     // simulations reserve capacity for cuts, see session_expect_cuts
  unsigned char *begin;  // [begin_size], initial state of the scene, see session_state.h; NULL: at rest
  size_t begin_size;
  uint32_t begin_sum;  // CRC-32 of `begin` or of the scene's initial_fields; 0: neither
  int64_t begin_step;  // step number at the start
  double begin_time;   // time at the start, s
  // For a start with intersecting surfaces; contact is off until the intersections have ended.
  struct CrossingMarks *crossing_marks;  // NULL: no such start
  uint8_t *crossing;      // [node_count], 1: the surface intersects itself at this node now; may be NULL, as above
  int64_t crossings;      // number of edges that intersect triangles
  int64_t stepped, idle;  // steps since the start; number of steps that needed no Newton iteration
  double idle_residual, idle_tolerance;  // kg m/s, values of the last step without an iteration
  int64_t unconverged;                   // steps since the start that were kept although Newton did not converge
  char trouble[480];                     // cause in the last step that did not converge
} Session;

/// Reads the mesh and builds the simulation. `session` is written only on success; the scene is copied. Denormal
/// numbers are flushed to zero in the calling thread from now on (device_flush_denormals).
bool session_create(Session *session, const Scene *scene, Error *error);
void session_destroy(Session *session);

/// Applies scripted cuts, forces and drags of the next step, then takes the step.
bool session_step(Session *session, StepReport *report, Error *error);

/// Adds forces of a caller, [node_count][3] N, to the scripted ones from the next step on, until the next call; NULL:
/// none. A cut removes them. Fails if memory runs out; a force beyond the precision's range makes the next step fail.
bool session_give_forces(Session *session, const double (*force)[3], Error *error);

/// Calls simulation_adjust and stores the settings in session.scene.
bool session_adjust(Session *session, const SimulationSettings *settings, Error *error);

/// Rebuilds the simulation with the values of `settings` that apply on a rebuild (see simulation_options: device,
/// precision, methods of the stages and so on) and keeps the present state. On failure nothing changes. Costs as
/// session_create.
bool session_switch(Session *session, const SimulationSettings *settings, Error *error);

/// Rebuilds the simulation, as session_switch does, with a ball of this radius, m, with which the user can push
/// (simulation_push). Does nothing if it has one. *made is true if the simulation was rebuilt. Fails without
/// self_contact.
bool session_make_pusher(Session *session, double radius, bool *made, Error *error);

/// Pins the nodes with a rest position closer than `radius` m to X, at least the nearest one, at their present
/// positions. If the nearest is pinned already, releases them instead.
bool session_pin(Session *session, const double X[3], double radius, Error *error);

/// Undoes session_pin: releases the nodes that it pinned. If `again`, also pins the scene's nodes that it released, at
/// their present positions. *changed is true if a pin has changed.
bool session_unpin(Session *session, bool again, bool *changed, Error *error);

/// Reports on standard error the number of steps that did not converge, with the cause of the last; the mass that was
/// torn out; or that no step needed an iteration because the tolerance is too large. Otherwise writes nothing.
void session_report_trouble(const Session *session);

/// Returns to the initial state and the start of the script. Pins set by session_pin stay.
bool session_reset(Session *session, Error *error);
