// A running scene: its mesh, its simulation, and the scripted forces and drags that act as time goes on.
// Window, recorder and benchmark all run scenes through this.
#pragma once
#include "scene/form.h"
#include "scene/scene_bodies.h"

enum { SESSION_PULLS_MAX = 32, DRAG_TORN = -1 };

// A patch that is held by hand. Where it is pulled to is an offset from where it was when it was grabbed, as in the
// input log and in simulation_drag.
typedef struct SessionPull {
  int id;                 // of the simulation; 0: none
  int nodes[3];           // the triangle of the surface that was picked
  double barycentric[3];  // the picked point in it
  double start[3];        // m, where that point was when it was grabbed
  double goal[3];         // m from start: where the mouse is
  double offset[3];       // m from start: the simulation's target, which follows the goal
  double pushes;          // m, above 0: the mouse pushes with a ball of this radius in place of a spring, id is 0, and
                          // start is where the ball's middle was at first
} SessionPull;

// The nodes of each scripted force, one force's behind the other's; those of the k-th begin at start[k].
typedef struct ForceNodes {
  int *node, start[SCENE_PARTS_MAX + 1];
} ForceNodes;

typedef struct Session {
  Scene scene;
  BodyConstants body_constants[SCENE_PARTS_MAX];  // what its bodies have been made of
  Form *form, *scene_form;                        // what the body is now, and as the scene has it; both held
  int form_changes;                               // how often that has changed
  TetMesh mesh;                                   // these two belong to the form
  Surface surface;
  ObstacleSurface *obstacle_surface[OBSTACLES_MAX];  // of the scene's obstacles that are meshes, else NULL
  double *mass;                                      // [node_count], lumped, kg
  Simulation *simulation;
  int drag_ids[SCENE_PARTS_MAX];  // grab ids of the scripted drags, 0 where none is held, DRAG_TORN where all that one
                                  // held was torn out: it is over
  int64_t load_key;               // which scripted forces are applied now, as a bit set; -1: unknown
  double (*force)[3];             // [node_count], scratch for loads, N
  ForceNodes force_nodes;         // of the scripted forces
  uint8_t *inside;                // [node_count], scratch for regions
  uint8_t *pinned;                // [node_count], which axes of each node are held; see simulation_create,
  uint8_t *scene_pinned;          // and which nodes of the scene's mesh the scene holds,
  uint8_t *script_pinned;         // and which of those its list of pins holds: the others are in its state
  SessionPull pulls[SESSION_PULLS_MAX];  // patches that stay pulled; their goal and offset are equal
  int pull_count;
  SessionPull *mouse;    // what a mouse holds, borrowed, which follows its nodes through cuts too; NULL: there is none
  double cut_until;      // s: what the scene cuts up to then is cut
  bool expects_cuts;     // simulations have room for some, see session_expect_cuts
  unsigned char *begin;  // [begin_size], the state that the scene begins in, see session_state.h; NULL: at rest
  size_t begin_size;
  uint32_t begin_sum;  // CRC-32 of it
  int64_t begin_step;  // steps and time
  double begin_time;   // that the simulation counts at the beginning, s
  // where it began in a state that goes through itself: contact waits until that has ended
  struct CrossingMarks *crossing_marks;  // NULL: it did not
  uint8_t *crossing;                     // [node_count] 1 where the surface goes through itself now; NULL likewise
  int64_t crossings;                     // how many edges go through triangles
  int64_t stepped, idle;  // steps since the start; of them those in which the tolerance let Newton do nothing,
  double idle_residual, idle_tolerance;  // and of the last of those: kg m/s
  int64_t unconverged;                   // steps since the start that were kept though Newton did not converge,
  char trouble[480];                     // and why the last of them did not
} Session;

/// Reads the mesh and builds the simulation. `session` is written only when all went well; the scene is copied. From
/// then on denormal numbers are zero in the calling thread (device_flush_denormals).
bool session_create(Session *session, const Scene *scene, Error *error);
void session_destroy(Session *session);

/// Applies what the script says for this step, then takes it.
bool session_step(Session *session, StepReport *report, Error *error);

/// simulation_adjust; session.scene then has the settings too.
bool session_adjust(Session *session, const SimulationSettings *settings, Error *error);

/// Takes from `settings` what applies on a rebuild (simulation_options: device, precision, stages and so on) for the
/// same body, which goes on from where it is. Where that fails nothing has changed. Costs what session_create does.
bool session_switch(Session *session, const SimulationSettings *settings, Error *error);

/// Makes the simulation anew, as session_switch does, with a ball of this radius to push with (simulation_push), unless
/// it has one; *made: it had none. Fails where there is no self_contact.
bool session_make_pusher(Session *session, double radius, bool *made, Error *error);

/// Pins the nodes closer than `radius` m to X at rest, at least the nearest one, where they are now; lets them go where
/// the nearest is pinned.
bool session_pin(Session *session, const double X[3], double radius, Error *error);

/// Undoes session_pin: lets go of the nodes that it has pinned, and, if `again`, pins those of the scene that it has
/// let go, where they are now. *changed: whether there were any.
bool session_unpin(Session *session, bool again, bool *changed, Error *error);

/// Reports on standard error how many steps did not converge, and why the last one did not; how much was torn out; or
/// that the tolerance is so large that nothing was computed. Writes nothing where all is well.
void session_report_trouble(const Session *session);

/// Back to where the scene begins, script rewound, pins as session_pin has left them.
bool session_reset(Session *session, Error *error);
