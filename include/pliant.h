/* pliant.h: the C interface of Pliant, an engine for soft bodies: implicit time steps, finite elements, contact.
 *
 * A pliant_scene describes bodies, material, pins, forces, obstacles and settings. A pliant_sim is a scene that moves:
 * it has the state. Any number of sims can be created from one scene.
 *
 * Threads. A handle is used by one thread at a time. Different threads may use different sims at the same time; each
 * sim computes the same bits as alone. Several threads may create sims from one scene while no thread changes it.
 * Callbacks run only in the thread that made the call. The library never exits, aborts, prints, forks or changes signal
 * handlers, locale or floating-point mode of its caller. It reads no environment variable. It has worker threads of its
 * own (pliant_set_threads).
 *
 * Errors. Functions that can fail return a pliant_status, 0 for success. pliant_error() is then one sentence with the
 * place, the fault and the remedy. A call that fails changes nothing, unless its comment says otherwise.
 *
 * Units are SI. Nodes and cells have the numbers of the caller's arrays or file, from 0. If a scene has several bodies,
 * their nodes and cells are numbered one body after the other.
 *
 * The header is C99 and C++11 and needs no other header of Pliant or CUDA. Structs may grow at their end: callers set
 * `size` to sizeof the struct. */
#ifndef PLIANT_H
#define PLIANT_H

#include <stddef.h>
#include <stdint.h>

#define PLIANT_VERSION_MAJOR 0 /* a change requires that programs are compiled again */
#define PLIANT_VERSION_MINOR 3 /* a change adds functions */
#define PLIANT_VERSION_PATCH 0

#if defined __GNUC__
#define PLIANT_API __attribute__((visibility("default")))
#else
#define PLIANT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pliant_scene pliant_scene;
typedef struct pliant_sim pliant_sim;

typedef enum pliant_status {
  PLIANT_OK = 0,
  PLIANT_BAD_ARGUMENT, /* a key, value, array or handle is invalid */
  PLIANT_BAD_FILE,     /* a file cannot be read or written, or its content is invalid */
  PLIANT_NO_MEMORY,    /* not enough memory on the host or the GPU */
  PLIANT_NO_DEVICE,    /* no usable GPU: no card, no driver, or a build without CUDA */
  PLIANT_STEP_FAILED,  /* no shorter step works either; the state is that before the step */
  PLIANT_STOPPED,      /* the interrupt callback ended the call; the state is that before the step */
  PLIANT_NOT_NOW       /* the call is valid only in another state of the handle */
} pliant_status;

/* ---- Library ---- */

/* Version of the library, "0.3.0", to be compared with the macros above. */
PLIANT_API const char *pliant_version(void);

/* The sentence of the last call that failed in this thread; "" if none has failed. Valid until the next failure. */
PLIANT_API const char *pliant_error(void);

/* Name of a status: "bad_argument". */
PLIANT_API const char *pliant_status_name(int status);

/* Number of GPUs that sims can use, 0 or 1. If it is 0, pliant_error() is the reason. */
PLIANT_API int pliant_device_count(void);

/* Receives a notice: `line` is its text without a newline, `user` the pointer given to pliant_set_log. Any thread that
 * is in a call of the library may call this function. */
typedef void (*pliant_log_function)(const char *line, void *user);

/* Sends the notices of all threads to a function. NULL, the default, drops them. Call it while no other thread is in a
 * call of the library. */
PLIANT_API void pliant_set_log(pliant_log_function log, void *user);

/* Sets the number of CPU threads that all sims share; 0, the default: one per core. Call it while no other thread is in
 * a call of the library. */
PLIANT_API int pliant_set_threads(int threads);

/* ---- Scenes ---- */

/* Creates a scene without a body, with default settings. */
PLIANT_API int pliant_scene_create(pliant_scene **scene);

/* Opens a scene file (.json) or a mesh file. Relative paths in a scene start at its folder. */
PLIANT_API int pliant_scene_open(pliant_scene **scene, const char *path);

/* Creates a scene from the text of a scene file. Relative paths start at `folder`; NULL: the working directory. */
PLIANT_API int pliant_scene_parse(pliant_scene **scene, const char *json, const char *folder);

/* Copies a scene. Meshes from arrays are shared. */
PLIANT_API int pliant_scene_copy(pliant_scene **scene, const pliant_scene *from);

/* Destroys a scene. Accepts NULL. Sims created from it stay valid. */
PLIANT_API void pliant_scene_destroy(pliant_scene *scene);

/* Sets a key of a scene to a value in JSON: ("young", "2e4"), ("gravity", "[0, 0, -9.81]"). pliant_option lists all
 * keys. Checks the value; keys that depend on each other are checked by pliant_sim_create. */
PLIANT_API int pliant_scene_set(pliant_scene *scene, const char *key, const char *json);

/* Appends an entry, a JSON object, to a key that is a list: "pins", "forces", "drags", "obstacles", "bodies", "shapes",
 * "materials", "cuts". */
PLIANT_API int pliant_scene_add(pliant_scene *scene, const char *list, const char *json_entry);

/* Writes the scene as JSON, with its terminating zero, if it fits into `capacity` bytes. *needed: the required
 * capacity; may be NULL. Fails if it does not fit and json is not NULL. */
PLIANT_API int pliant_scene_print(const pliant_scene *scene, char *json, size_t capacity, size_t *needed);

/* Kinds of cells. The nodes of a cell are in the order of VTK. */
typedef enum pliant_cell { PLIANT_TET4, PLIANT_TET10, PLIANT_HEX8, PLIANT_TRIANGLE } pliant_cell;

/* Adds a body, or with PLIANT_TRIANGLE an obstacle, from arrays, which are copied: x [nodes][3], m, and cell [cells][4,
 * 10, 8 or 3], node numbers. Inverted cells are turned. `name` is unique in the scene; NULL: a name is made. `options`
 * is a JSON object of further keys for this body or obstacle, as in a scene file; NULL: none. *number gets its index in
 * "bodies" or "obstacles", from 0; may be NULL. 10-node tetrahedra set the scene's "degree" to 2; their mid-edge nodes
 * are moved to the middle of the edges. Fails if a node number is out of range, a position is not finite, a node
 * belongs to no cell or a cell has no volume. */
PLIANT_API int pliant_scene_add_mesh(pliant_scene *scene, const char *name, pliant_cell kind, int64_t nodes,
                                     const double *x, int64_t cells, const int32_t *cell, const char *options,
                                     int *number);

/* A row of the table of keys. */
typedef struct pliant_option_info {
  size_t size;         /* set by the caller */
  const char *key;     /* "young" */
  const char *type;    /* "number", "integer", "choice", "text", "vector", "flag" or "json" */
  const char *unit;    /* "Pa"; "" if there is none */
  const char *choices; /* "a|b|c"; "" if any value is allowed */
  const char *help;
  const char *applies; /* "live" or "rebuild": pliant_set can change it in a sim; "scene": only a new sim uses it */
  double low, high;    /* range of numbers; infinite: no bound */
} pliant_option_info;

/* Gets row `index`, from 0, of the table of keys. Fails with PLIANT_BAD_ARGUMENT after the last row. */
PLIANT_API int pliant_option(int index, pliant_option_info *info);

/* ---- Sims ---- */

/* Creates a sim in the scene's initial state: reads meshes, checks the scene, builds the system. */
PLIANT_API int pliant_sim_create(pliant_sim **sim, const pliant_scene *scene);

/* Creates `count` copies of a sim with its present settings and state. Forces that were set by pliant_put are not
 * copied. Fails if the sim's body was cut. */
PLIANT_API int pliant_sim_clone(pliant_sim **copies, int count, pliant_sim *sim);

/* Destroys a sim. Accepts NULL. Waits for its device. */
PLIANT_API void pliant_sim_destroy(pliant_sim *sim);

/* Changes a setting of a sim. Keys that apply live change at once; others rebuild the system and keep the state. Fails
 * with PLIANT_NOT_NOW for keys that need a new sim. */
PLIANT_API int pliant_set(pliant_sim *sim, const char *key, const char *json);

/* Writes the present value of a key as JSON; capacity and *needed as in pliant_scene_print. */
PLIANT_API int pliant_get(const pliant_sim *sim, const char *key, char *json, size_t capacity, size_t *needed);

/* Takes time steps; ends at the first that fails. */
PLIANT_API int pliant_step(pliant_sim *sim, int steps);

/* Takes steps of several different sims, on several threads. statuses [count] gets the status of each; may be NULL.
 * Returns the first status that is not 0. */
PLIANT_API int pliant_step_many(pliant_sim *const *sims, int count, int steps, int *statuses);

/* Moves to static equilibrium from the present state, by increments of gravity if necessary. Pins or grabs must hold
 * the body, which must not have been cut. Momenta become 0. Fails with PLIANT_STEP_FAILED, without a change, if
 * Newton's method does not converge. */
PLIANT_API int pliant_equilibrium(pliant_sim *sim);

/* Returns to the scene's initial state at time 0. Settings stay; grabs, holds and forces of pliant_put end. */
PLIANT_API int pliant_reset(pliant_sim *sim);

/* Results of the last step. All numbers are 0 before the first step. */
typedef struct pliant_report {
  size_t size;           /* set by the caller */
  int64_t step;          /* number of steps since the start */
  double time;           /* s */
  int converged;         /* 1: the residual met the tolerance at the end of each part of the step */
  int newton_iterations; /* linear systems solved */
  int cg_iterations;     /* iterations of all linear solves */
  int substeps;          /* parts into which the step was divided, since a longer one failed; 1: it was not divided */
  double residual;       /* kg m/s, norm of the residual at the end */
  double tolerance;      /* kg m/s, bound of the residual */
  double min_J;          /* smallest det F */
  const char *cause;     /* the reason if the step did not converge, else ""; valid until the next call with this sim */
} pliant_report;

PLIANT_API int pliant_get_report(const pliant_sim *sim, pliant_report *report);

/* Calls stop(user) every few milliseconds within long calls. A result other than 0 ends the call with PLIANT_STOPPED.
 * NULL: none. */
PLIANT_API int pliant_set_interrupt(pliant_sim *sim, int (*stop)(void *user), void *user);

/* Saves the state as bytes: motion, holds, grabs and obstacles, but no forces of pliant_put. A sim of an equal scene,
 * on the same device and with the same build of the library, continues from it with bit-identical results. capacity and
 * *needed as in pliant_scene_print. Fails if the body was cut. */
PLIANT_API int pliant_save(pliant_sim *sim, void *bytes, size_t capacity, size_t *needed);

/* Sets the sim to a state that pliant_save wrote. If this fails, for example because the bytes are damaged, the sim
 * keeps its state; a body that was cut is reset. */
PLIANT_API int pliant_load(pliant_sim *sim, const void *bytes, size_t size);

/* ---- Arrays ---- */

typedef enum pliant_type { PLIANT_F32, PLIANT_F64, PLIANT_I32 } pliant_type;

enum { PLIANT_HOST = -1 }; /* memory of the host; other devices are CUDA ordinals */

typedef struct pliant_view {
  size_t size;         /* set by the caller */
  void *data;          /* [shape[0]][shape[1]], contiguous, on `device` */
  int32_t device;      /* PLIANT_HOST, or a CUDA device */
  int32_t type;        /* pliant_type */
  int64_t shape[2];    /* number of rows (nodes, cells or triangles), and numbers per row */
  uint64_t generation; /* pliant_generation at the time of the call */
} pliant_view;

/* A row of the table of fields. */
typedef struct pliant_field_info {
  size_t size;      /* set by the caller */
  const char *name; /* "positions" */
  const char *unit; /* "m"; "" if there is none */
  const char *help;
  const char *per; /* "node", "cell" or "triangle" */
  int components;  /* numbers per row; 0: as many as a cell has nodes */
  int type;        /* pliant_type on the host */
  int on_device;   /* 1: pliant_field can also leave it on the GPU, as PLIANT_F32 */
  int can_put;     /* 1: pliant_put can set it */
} pliant_field_info;

/* Gets row `index`, from 0, of the table of fields. Fails with PLIANT_BAD_ARGUMENT after the last row. */
PLIANT_API int pliant_field_row(int index, pliant_field_info *info);

/* Computes a field of the present state and waits until it is complete. `device` is PLIANT_HOST, or the GPU of a sim on
 * a GPU. The sim owns the memory, which stays valid until pliant_sim_destroy. Its contents stay until the next call
 * with this name and device. */
PLIANT_API int pliant_field(pliant_sim *sim, const char *name, int device, pliant_view *view);

/* Sets a field from a contiguous array on the host, PLIANT_F64 with the field's shape; the array is copied:
 * "positions" and "velocities" replace the state; "forces", N on each node, act in addition to gravity and the scene's
 * forces until they are set again. view->size, data, type and shape are read. */
PLIANT_API int pliant_put(pliant_sim *sim, const char *name, const pliant_view *view);

/* A number that changes with each change of the sim. */
PLIANT_API uint64_t pliant_generation(const pliant_sim *sim);

/* Device of a sim: PLIANT_HOST or a CUDA device. */
PLIANT_API int pliant_sim_device(const pliant_sim *sim);

/* A row of the table of observables. */
typedef struct pliant_observable_info {
  size_t size;      /* set by the caller */
  const char *name; /* "kinetic" */
  const char *unit; /* "J" */
  const char *help;
  const char *subject; /* placeholder after the name, such as NODE in "position:NODE"; "" if there is none */
  int components;      /* 1 or 3 */
} pliant_observable_info;

/* Gets row `index`, from 0, of the table of observables. Fails with PLIANT_BAD_ARGUMENT after the last row. */
PLIANT_API int pliant_observable(int index, pliant_observable_info *info);

/* Computes observables, such as "kinetic" or "position:17", and writes their components one after the other into
 * values [capacity]. A value that is not known yet is NaN. */
PLIANT_API int pliant_observe(pliant_sim *sim, const char *const *names, int count, double *values, int capacity);

/* ---- Actions from outside, between steps ---- */

/* Lists the nodes of a region at rest, as in scenes: {"z": [null, 0.02]}, {"center": "+z", "radius": 0.1}. Writes at
 * most `capacity` numbers; *count gets the number of nodes. Fails if they do not fit and nodes is not NULL. */
PLIANT_API int pliant_find(pliant_sim *sim, const char *region_json, int32_t *nodes, int64_t capacity, int64_t *count);

/* Holds nodes at their present positions. `axes` is the sum of the held axes: 1 for x, 2 for y, 4 for z. So 7 holds all
 * three, and 0 releases the nodes. */
PLIANT_API int pliant_hold(pliant_sim *sim, const int32_t *nodes, int64_t count, unsigned axes);

/* Grabs part of a body by springs. The centre is the surface node that is now nearest to x [3], m. All nodes closer to
 * it than `radius`, m, get springs, whose total stiffness is `stiffness` N/m; 0 chooses one that suits the body. *grab
 * gets the number of this grab for the functions below. */
PLIANT_API int pliant_grab(pliant_sim *sim, const double x[3], double radius, double stiffness, int *grab);

/* As pliant_grab, for given nodes. With stiffness 0 there are no springs: the nodes follow pliant_grab_to exactly. */
PLIANT_API int pliant_grab_nodes(pliant_sim *sim, const int32_t *nodes, int64_t count, double stiffness, int *grab);

/* Sets the target positions of a grab's nodes at the end of the next step: their positions when they were grabbed, plus
 * offset [3], m. */
PLIANT_API int pliant_grab_to(pliant_sim *sim, int grab, const double offset[3]);

/* Releases a grab; -1: all grabs of these functions. */
PLIANT_API int pliant_release(pliant_sim *sim, int grab);

/* Moves an obstacle during the next step to centre x [3], m, and rotation q, a unit quaternion (w, x, y, z) relative
 * to its orientation in the scene; NULL: it does not turn. Afterwards it stays. Replaces the scene's path. */
PLIANT_API int pliant_obstacle_to(pliant_sim *sim, int obstacle, const double x[3], const double *q);

/* Cuts along a plane through x with a normal, as far as `reach`, m, from x: opens the faces between cells on its two
 * sides. Nodes at the cut get copies, which are numbered after all others. *opened gets the number of opened faces; may
 * be NULL. */
PLIANT_API int pliant_cut(pliant_sim *sim, const double x[3], const double normal[3], double reach, int *opened);

#ifdef __cplusplus
}
#endif

#endif
