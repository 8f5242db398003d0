/* pliant.h: the C interface of Pliant, an engine for soft bodies: implicit time steps, finite elements, contact.
 *
 * A pliant_scene describes bodies, material, pins, forces, obstacles and settings. A pliant_sim is a simulation of a
 * scene; its state changes by time steps. Any number of sims can be created from one scene.
 *
 * Threads. Only one thread at a time may use a handle (a scene or a sim). Different threads may use different sims at
 * the same time; each sim computes the same bits as if it ran alone. Several threads may create sims from one scene
 * while no thread changes this scene. Callbacks run in the thread that made the call; functions with names that end in
 * _many call them in threads of the library too. The library never exits, aborts, prints or forks. It does not change
 * locale or floating-point mode of its caller, and reads no environment variable. It has its own worker threads
 * (pliant_set_threads).
 *
 * GPUs. The key "device" of a scene names the GPU of its sims: "cuda:0", "cuda:1" and so on; "cuda" and "auto" mean
 * "cuda:0". Sims of one process may be on different GPUs. Calls for a sim make its GPU current in the calling thread, and
 * before they return they make the CUDA context of the caller current again. Streams and arrays of the caller must be on
 * the sim's GPU.
 *
 * METIS. Calls that build the equations run the library METIS in a further thread, one division at a time:
 * pliant_sim_create, pliant_sim_clone, pliant_set for keys that apply on "rebuild", and pliant_reset and pliant_load
 * after a cut. METIS calls rand() and sets handlers of SIGTERM and SIGABRT. libpliant restores the state of rand(), and
 * the handlers within some milliseconds. Meanwhile, other threads must not call rand() or set these handlers. METIS
 * cannot be ended early. If the interrupt callback ends the call, METIS runs on: up to about 3 s for a body of 262,144
 * nodes, with up to 400 bytes per node. Until it ends, its handlers and its state of rand() may be set, the next call
 * that builds equations waits for it, and the program must not unload libpliant. At most one such thread exists in a
 * process.
 *
 * Memory. For a sim on the CPU, pliant_reset, pliant_reset_many, pliant_load and pliant_save allocate in their first
 * call only. Later calls allocate only if the state needs more memory than in all calls before, for example for more
 * grabs. A sim keeps this memory, some hundred bytes per node, until it is destroyed. In four cases these functions
 * allocate in each call: after a cut, since they build the equations of the uncut body; with "friction_sticks", for the
 * lists of sticking contacts; with "initial_fields", whose file they read again; with pressures that change with time.
 * For a sim on a GPU, the functions can allocate memory of the host in each call, through which they copy the state.
 *
 * Errors. Functions that can fail return a pliant_status, 0 for success. After a failure pliant_error() returns one
 * sentence with the place, the fault and the remedy. A call that fails changes nothing, unless its comment says
 * otherwise.
 *
 * Units are SI. Nodes and cells have the numbers of the caller's arrays or file, from 0. If a scene has several bodies,
 * their nodes and cells are numbered one body after the other.
 *
 * This header is valid C99 and C++11 and needs no other header of Pliant or CUDA. In a later version, structs may have
 * more members at their end. Therefore callers must set the member `size` to the size of the struct before a call. */
#ifndef PLIANT_H
#define PLIANT_H

#include <stddef.h>
#include <stdint.h>

#define PLIANT_VERSION_MAJOR 0 /* after a change of this number, programs must be compiled again */
#define PLIANT_VERSION_MINOR 4 /* increases when functions are added */
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

/* Results of a call. */
typedef enum pliant_status {
  PLIANT_OK = 0,
  PLIANT_BAD_ARGUMENT, /* a key, value, array or handle is invalid */
  PLIANT_BAD_FILE,     /* a file cannot be read or written, or its content is invalid */
  PLIANT_NO_MEMORY,    /* not enough memory on the host or the GPU */
  PLIANT_NO_DEVICE,    /* no usable GPU: no card, no driver, or a build without CUDA */
  PLIANT_STEP_FAILED,  /* a time step failed, even when it was divided; the sim keeps the state before this step */
  PLIANT_STOPPED,      /* the interrupt callback ended the call; the time step that it interrupted was not taken */
  PLIANT_NOT_NOW       /* the call is not possible in the present state of the sim, for example after a cut */
} pliant_status;

/* ---- Library ---- */

/* Returns the version of the library, such as "0.4.0". Programs can compare it with the macros above. */
PLIANT_API const char *pliant_version(void);

/* Returns the message of the last call that failed in this thread; "" if none has failed. The text is valid until the
 * next failed call in this thread. */
PLIANT_API const char *pliant_error(void);

/* Returns the name of a status, such as "bad_argument". */
PLIANT_API const char *pliant_status_name(int status);

/* Returns the number of GPUs, which the key "device" calls "cuda:0", "cuda:1" and so on. If it is 0, pliant_error()
 * returns the reason. Does not test if the GPUs can be used; pliant_sim_create does. */
PLIANT_API int pliant_device_count(void);

/* Type of a function that receives notices. `line` is the text of a notice, without a newline; `user` is the pointer
 * that was given with the function. Every thread that is in a call of the library may call the function. */
typedef void (*pliant_log_function)(const char *line, void *user);

/* Type of a function that receives the progress of a long call. `what` is the present activity, such as "reading the
 * mesh"; `part` is the finished part of the call, 0 to 1; `user` is the pointer that was given with the function. */
typedef void (*pliant_progress_function)(const char *what, double part, void *user);

/* Sets the function that receives the notices of all threads. NULL, the default, drops the notices. Must be called
 * while no other thread is in a call of the library. */
PLIANT_API void pliant_set_log(pliant_log_function log, void *user);

/* Sets the number of CPU threads that all sims share; 0, the default: one per core. Must be called while no other
 * thread is in a call of the library. */
PLIANT_API int pliant_set_threads(int threads);

/* ---- Scenes ---- */

/* Creates a scene without a body, with default settings. */
PLIANT_API int pliant_scene_create(pliant_scene **scene);

/* Opens a scene file (.json) or a mesh file. Relative paths in a scene start at the folder of the scene file. */
PLIANT_API int pliant_scene_open(pliant_scene **scene, const char *path);

/* Creates a scene from the text of a scene file. Relative paths start at `folder`; NULL: the working directory. */
PLIANT_API int pliant_scene_parse(pliant_scene **scene, const char *json, const char *folder);

/* Copies a scene. The copy and the original share the memory of meshes that were added by pliant_scene_add_mesh. */
PLIANT_API int pliant_scene_copy(pliant_scene **scene, const pliant_scene *from);

/* Destroys a scene. Accepts NULL. Sims created from it stay valid. */
PLIANT_API void pliant_scene_destroy(pliant_scene *scene);

/* Sets a key of a scene to a value in JSON: ("young", "2e4"), ("gravity", "[0, 0, -9.81]"), ("precision",
 * "\"double\""). JSON texts have quotes of their own. pliant_option lists all keys. This call checks only the value;
 * pliant_sim_create checks keys that depend on each other. */
PLIANT_API int pliant_scene_set(pliant_scene *scene, const char *key, const char *json);

/* Appends an entry, a JSON object, to a key that is a list: "pins", "forces", "drags", "obstacles", "bodies", "shapes",
 * "materials", "cuts". */
PLIANT_API int pliant_scene_add(pliant_scene *scene, const char *list, const char *json_entry);

/* Writes the scene as JSON, with a terminating zero, to json [capacity]. Fails if capacity is too small. If json is
 * NULL, nothing is written. *needed gets the required capacity in bytes; needed may be NULL. */
PLIANT_API int pliant_scene_print(const pliant_scene *scene, char *json, size_t capacity, size_t *needed);

/* Sets two functions for the sims that are created from this scene. They receive the progress and the notices of the
 * creation and of later calls with a sim, in the thread of the call. If progress is NULL, progress is dropped. If log
 * is NULL, notices go to the function of pliant_set_log. `user` is passed to both functions. The functions can read the
 * sim whose call they report, by pliant_field, pliant_observe, pliant_find, pliant_get and pliant_get_report. Calls that
 * would change the sim fail with PLIANT_NOT_NOW. The functions must not destroy the sim. While a sim is created, they
 * must not call the library. Copies of the scene do not have these functions. */
PLIANT_API int pliant_scene_listen(pliant_scene *scene, pliant_progress_function progress, pliant_log_function log,
                                   void *user);

/* Kinds of cells. The nodes of a cell are in the order of VTK. */
typedef enum pliant_cell { PLIANT_TET4, PLIANT_TET10, PLIANT_HEX8, PLIANT_TRIANGLE } pliant_cell;

/* Adds a body from arrays to the scene's list "bodies" or, with PLIANT_TRIANGLE, an obstacle to "obstacles". A scene
 * with "bodies" must not have the keys "mesh" and "shapes". The arrays are copied. x [nodes][3] are positions, m.
 * cell [cells][4, 10, 8 or 3] are node numbers. The nodes of inverted cells are reordered. `name` must be unique in the
 * scene, with at most 31 characters, no digit at the start and no comma, colon or slash; NULL: the library chooses a
 * name. `options` is a JSON object with further keys of this body or obstacle, as in a scene file; NULL: none. *number
 * receives the index of the new entry in "bodies" or "obstacles", from 0; number may be NULL. PLIANT_TET10 sets the
 * scene's key "degree" to 2 if the scene does not have this key. The mid-edge nodes are moved to the middle of their
 * edges. Fails if a node number is out of range or a position is not finite; for a body also if a node belongs to no
 * cell or a cell has no volume. */
PLIANT_API int pliant_scene_add_mesh(pliant_scene *scene, const char *name, pliant_cell kind, int64_t nodes,
                                     const double *x, int64_t cells, const int32_t *cell, const char *options,
                                     int *number);

/* A row of the table of keys, which pliant_scene_set and pliant_set accept. */
typedef struct pliant_option_info {
  size_t size;         /* sizeof(pliant_option_info), set by the caller */
  const char *key;     /* "young" */
  const char *type;    /* "number", "integer", "choice", "text", "vector", "flag" or "json" */
  const char *unit;    /* "Pa"; "" if there is none */
  const char *choices; /* "a|b|c"; "" if any value is allowed */
  const char *help;    /* description of the key, for users */
  const char *applies; /* "live" or "rebuild": pliant_set can change the key; "scene": only new sims use a new value */
  double low, high;    /* least and greatest value of a number; -infinity or infinity: no bound */
} pliant_option_info;

/* Gets row number `index`, from 0, of the table of keys. Fails with PLIANT_BAD_ARGUMENT if there is no such row, so a
 * caller can read rows until the call fails. */
PLIANT_API int pliant_option(int index, pliant_option_info *info);

/* ---- Sims ---- */

/* Creates a sim in the initial state of the scene: reads meshes, checks the scene, and builds the equations. */
PLIANT_API int pliant_sim_create(pliant_sim **sim, const pliant_scene *scene);

/* Creates `count` copies of a sim with its present settings and state, on several threads. Forces that were set by
 * pliant_put are not copied. Reports progress and notices of the first copy only. If one copy cannot be created, the
 * others are destroyed, and the call fails. Fails if the sim's body was cut. */
PLIANT_API int pliant_sim_clone(pliant_sim **copies, int count, pliant_sim *sim);

/* Destroys a sim. Accepts NULL. Waits for its device. */
PLIANT_API void pliant_sim_destroy(pliant_sim *sim);

/* Changes a setting of a sim. Keys that apply "live" (pliant_option_info.applies) change at once. Keys that apply on
 * "rebuild" rebuild the equations, but the state does not change. Other keys need a new sim, and fail with
 * PLIANT_NOT_NOW. */
PLIANT_API int pliant_set(pliant_sim *sim, const char *key, const char *json);

/* Writes the present value of a key as JSON, with a terminating zero; json, capacity and *needed are as in
 * pliant_scene_print. */
PLIANT_API int pliant_get(const pliant_sim *sim, const char *key, char *json, size_t capacity, size_t *needed);

/* Takes `steps` time steps. Ends at the first step that fails; the steps before it stay taken. */
PLIANT_API int pliant_step(pliant_sim *sim, int steps);

/* Takes `steps` time steps of each of `count` different sims, on several threads. Some sims on a GPU take each step
 * together, by one launch of each kernel: those with the solver "block", the assembly "globalnz", without self_contact,
 * and with equal methods and numbers of nodes and cells. The results have the same bits as those of pliant_step.
 * statuses [count] receives the status of each sim; statuses may be NULL. Returns the first status that is not 0. */
PLIANT_API int pliant_step_many(pliant_sim *const *sims, int count, int steps, int *statuses);

/* Moves the body to static equilibrium under the loads of the present time, starting from the present state. If
 * necessary, gravity is applied in increments. Pins or grabs must hold the body, since contact is computed without
 * friction here. The body must not have been cut. Momenta become 0. If Newton's method does not converge, the call fails
 * with PLIANT_STEP_FAILED, and the state does not change. */
PLIANT_API int pliant_equilibrium(pliant_sim *sim);

/* Returns to the scene's initial state at time 0. Settings do not change. Grabs, holds and forces of pliant_put end. */
PLIANT_API int pliant_reset(pliant_sim *sim);

/* Resets `count` different sims as pliant_reset does, on several threads and, for sims on a GPU, by a kernel. Only
 * sims with chosen[k] != 0 are reset; chosen [count] may be NULL, for all sims. statuses [count] receives the status of
 * each sim; statuses may be NULL. Returns the first status that is not 0. */
PLIANT_API int pliant_reset_many(pliant_sim *const *sims, int count, const unsigned char *chosen, int *statuses);

/* Results of the last time step that was taken. Before the first time step, and after pliant_reset or pliant_load, all
 * numbers but step and time are 0. If a later step fails (PLIANT_STEP_FAILED), the state and these numbers do not
 * change, and only `cause` describes the failed step. */
typedef struct pliant_report {
  size_t size;           /* set by the caller */
  int64_t step;          /* number of time steps since the start */
  double time;           /* s, simulated time since the start */
  int converged;         /* 1: at the end of each substep, the residual was within the tolerance, or rounding errors
                            prevented a smaller residual (single precision) */
  int newton_iterations; /* number of linear systems that were solved */
  int cg_iterations;     /* number of CG iterations of all these systems */
  int substeps;          /* number of shorter time steps into which the step was divided; 1: it was not divided */
  double residual;       /* kg m/s, norm of the residual at the end of the step */
  double tolerance;      /* kg m/s, largest residual with which the step counts as converged */
  double min_J;          /* smallest det F of all cells: deformed volume / volume at rest */
  const char *cause; /* reason if the step failed or did not converge, else ""; valid until the next call of this sim */
} pliant_report;

PLIANT_API int pliant_get_report(const pliant_sim *sim, pliant_report *report);

/* Sets the interrupt callback of a sim. Long calls with this sim call stop(user) every few milliseconds. If stop
 * returns a number other than 0, the long call ends with PLIANT_STOPPED. NULL: no callback. The callback may call the
 * functions that those of pliant_scene_listen may call. */
PLIANT_API int pliant_set_interrupt(pliant_sim *sim, int (*stop)(void *user), void *user);

/* Replaces the functions of pliant_scene_listen for one sim. Calls that report progress are pliant_step,
 * pliant_equilibrium, and those that rebuild the equations. pliant_step_many calls the functions of its sims in threads
 * of the library; the functions of one sim are never called by two threads at once. Clones of a sim have no functions.
 * */
PLIANT_API int pliant_listen(pliant_sim *sim, pliant_progress_function progress, pliant_log_function log, void *user);

/* Saves the state to `bytes`: motion, holds, grabs and obstacles, but no forces of pliant_put. A sim of an equal scene,
 * on the same device and with the same build of the library, can load the state and continue with bit-identical
 * results. capacity and *needed are as in pliant_scene_print. Fails if the body was cut. */
PLIANT_API int pliant_save(pliant_sim *sim, void *bytes, size_t capacity, size_t *needed);

/* Sets the sim to a state that pliant_save has written. If this fails, for example because the bytes are damaged, the
 * sim keeps its state. But if the body was cut, the sim is reset in any case. */
PLIANT_API int pliant_load(pliant_sim *sim, const void *bytes, size_t size);

/* Writes the scene file `path`, such as a.json, for the program pliant or pliant_scene_open. The scene begins in the
 * sim's present state, which is written to the file a.state in the same folder. Meshes from arrays, and the mesh of a
 * body that was cut, are written to further files in this folder. Existing files are replaced. Grabs and forces of
 * pliant_put are not written. */
PLIANT_API int pliant_write(pliant_sim *sim, const char *path);

/* ---- Arrays ---- */

/* Types of the numbers of an array. */
typedef enum pliant_type { PLIANT_F32, PLIANT_F64, PLIANT_I32 } pliant_type;

enum { PLIANT_HOST = -1 }; /* memory of the host; other values, from 0 on, are numbers of GPUs */

/* An array of the library or of the caller. */
typedef struct pliant_view {
  size_t size;         /* set by the caller */
  void *data;          /* [shape[0]][shape[1]], contiguous, on `device` */
  int32_t device;      /* PLIANT_HOST, or the number of a GPU */
  int32_t type;        /* pliant_type */
  int64_t shape[2];    /* number of rows (nodes, cells or triangles), and numbers per row */
  uint64_t generation; /* pliant_generation at the time of the call; if it now returns another number, data are old */
  void *stream;        /* for pliant_put with an array on a GPU: the caller's stream, a cudaStream_t; NULL: CUDA's
                        * default stream */
} pliant_view;

/* A row of the table of fields, which pliant_field computes. */
typedef struct pliant_field_info {
  size_t size;      /* set by the caller */
  const char *name; /* "positions" */
  const char *unit; /* "m"; "" if there is none */
  const char *help; /* description of the field, for users */
  const char *per;  /* "node", "cell" or "triangle" */
  int components;   /* count of numbers per row; 0: as many as a cell has nodes */
  int type;         /* pliant_type on the host */
  int on_device;    /* 1: pliant_field can also compute it into memory of the GPU, as PLIANT_F32 */
  int can_put;      /* 1: pliant_put can set the field */
} pliant_field_info;

/* Gets row number `index`, from 0, of the table of fields. Fails with PLIANT_BAD_ARGUMENT if there is no such row. */
PLIANT_API int pliant_field_row(int index, pliant_field_info *info);

/* Computes a field of the present state and waits until it is complete. `device` is PLIANT_HOST or, for a sim on a GPU,
 * the number of this GPU. view->data points to memory of the sim, which stays allocated until pliant_sim_destroy. Its
 * contents do not change until the next call with the same name and device. */
PLIANT_API int pliant_field(pliant_sim *sim, const char *name, int device, pliant_view *view);

/* As pliant_field for the sim's GPU, but does not wait. The call takes its place among the work of the caller's stream,
 * a cudaStream_t (NULL: CUDA's default stream): the field is complete for all work that the caller queues there later,
 * and its memory does not change before the work that the caller has queued there earlier is done. Fails with
 * PLIANT_BAD_ARGUMENT if the sim is on the CPU. */
PLIANT_API int pliant_field_on(pliant_sim *sim, const char *name, void *stream, pliant_view *view);

/* Computes a field of `count` different sims on several threads, and copies it to values [count][rows][components] on
 * the host. The numbers have the field's type. Fails with PLIANT_BAD_ARGUMENT if the sims have different numbers of
 * rows, or if `capacity`, the size of `values` in bytes, is too small. Views of this field on the host show the copied
 * numbers. */
PLIANT_API int pliant_field_many(pliant_sim *const *sims, int count, const char *name, void *values, size_t capacity);

/* Sets a field from a contiguous array with the shape of the field. The array is copied. view->generation is not read.
 * "positions" and "velocities" replace the state. "forces", N on each node, act in addition to gravity and the scene's
 * forces, until they are set again. On the host, the array has the type PLIANT_F64 or PLIANT_F32, and its numbers must
 * be finite. For a sim on a GPU, it can also be on this GPU. The call then takes its place among the work of
 * view->stream: it reads the array after all work that the caller has queued before, and later work of this stream can
 * change the array. It does not wait for "forces", and does not check them: if they are not finite, the next step fails.
 * "positions" and "velocities" from a GPU are copied to the host, checked, and copied back. */
PLIANT_API int pliant_put(pliant_sim *sim, const char *name, const pliant_view *view);

/* Queues work on the GPU that computes forces from positions. The work reads x [nodes][3], m, the present positions, and
 * writes all of force [nodes][3], N, both in memory of the sim's GPU. It must be queued in `stream`, a cudaStream_t, and
 * not wait for the GPU. Returns 0, or another number if it has failed. user: as passed to pliant_record_force. */
typedef int (*pliant_force_function)(void *user, const float *x, float *force, int nodes, void *stream);

/* Records work on the sim's GPU that computes forces, such as kernels of the caller. `queue` is called twice, before
 * this function returns: first its work runs directly, then it is recorded as a CUDA graph. From then on the recorded
 * work runs before each time step, without a call of `queue`, and always with the same arguments. So it costs less time
 * than a call of pliant_field_on and pliant_put for each step. Memory that it uses must stay allocated. The forces act
 * in addition to gravity and the scene's forces during the step, and replace those of pliant_put, which fails for
 * "forces" while work is recorded. If they are not finite, the step fails. A reset keeps the recorded work. It is
 * deleted by pliant_cut, by a call with NULL as `queue`, and if the call fails. A step fails if the number of nodes has
 * changed since the recording, because the body was torn. Fails with PLIANT_BAD_ARGUMENT if the sim is on the CPU. */
PLIANT_API int pliant_record_force(pliant_sim *sim, pliant_force_function queue, void *user);

/* Returns a number that changes whenever a call changes the sim. */
PLIANT_API uint64_t pliant_generation(const pliant_sim *sim);

/* Returns the device of a sim: PLIANT_HOST, or the number N of its GPU "cuda:N". */
PLIANT_API int pliant_sim_device(const pliant_sim *sim);

/* A row of the table of observables, which pliant_observe computes. */
typedef struct pliant_observable_info {
  size_t size;         /* set by the caller */
  const char *name;    /* "kinetic" */
  const char *unit;    /* "J" */
  const char *help;    /* description of the observable, for users */
  const char *subject; /* placeholder after the name, such as NODE in "position:NODE"; "" if there is none */
  int components;      /* 1: a number; 3: a vector */
} pliant_observable_info;

/* Gets row number `index`, from 0, of the table of observables. Fails with PLIANT_BAD_ARGUMENT if there is no such row.
 */
PLIANT_API int pliant_observable(int index, pliant_observable_info *info);

/* Computes observables. names [count] are texts such as "kinetic" or "position:17". The number in "position:17" is that
 * of the node in the mesh file. Nodes of pliant_scene_add_mesh have the numbers of its arrays, and nodes of "shapes" are
 * numbered from 1. The components of all observables are written one after the other to values [capacity]. A value that
 * is not known yet, for example before the first step, and a value of a node or a patch that was torn out, is NaN.
 * Observables whose help contains "since the first row of the table" are sums over time. They begin at 0 in the first
 * call that names them, and again in the first call after pliant_reset, pliant_reset_many or pliant_load. Call
 * pliant_observe after each step, so that the sums contain all steps. */
PLIANT_API int pliant_observe(pliant_sim *sim, const char *const *names, int count, double *values, int capacity);

/* ---- Actions from outside, between time steps ---- */

/* Lists the nodes of a region at rest. The region is JSON as in scenes: {"z": [null, 0.02]}, {"center": "+z", "radius":
 * 0.1}. *count gets the number of nodes, and nodes [capacity] their numbers; if nodes is NULL, they are only counted.
 * Fails if capacity is too small. */
PLIANT_API int pliant_find(pliant_sim *sim, const char *region_json, int32_t *nodes, int64_t capacity, int64_t *count);

/* Holds nodes [count] at their present positions along some axes. `axes` is the sum of 1 for x, 2 for y and 4 for z. So
 * 7 holds the nodes along all three axes, and 0 releases them. */
PLIANT_API int pliant_hold(pliant_sim *sim, const int32_t *nodes, int64_t count, unsigned axes);

/* Grabs part of a body by springs. The centre is the surface node that is nearest to x [3], m, at present. Nodes that
 * are closer than `radius`, m, to the centre at rest get springs, if a path of edges between such nodes connects them
 * with the centre. `stiffness` is the sum of the springs' stiffnesses, N/m; 0: a value that suits the body. *grab gets
 * the number of this grab, for the functions below. */
PLIANT_API int pliant_grab(pliant_sim *sim, const double x[3], double radius, double stiffness, int *grab);

/* Grabs the nodes [count]. `stiffness` is the sum of the springs' stiffnesses, N/m. With stiffness 0 there are no
 * springs: the nodes then follow pliant_grab_to exactly. *grab receives the number of this grab. */
PLIANT_API int pliant_grab_nodes(pliant_sim *sim, const int32_t *nodes, int64_t count, double stiffness, int *grab);

/* Moves a grab. At the end of the next step, the target of each of its nodes is the node's position when it was
 * grabbed, plus offset [3], m. */
PLIANT_API int pliant_grab_to(pliant_sim *sim, int grab, const double offset[3]);

/* Sets the positions of nodes [count] at the end of the next step, x [count][3], m. The nodes stay there until the next
 * call for them. They must belong to a grab of pliant_grab_nodes with stiffness 0. A later pliant_grab_to moves all
 * nodes of the grab relative to these positions. Fails if the grab has springs, or does not hold one of the nodes. */
PLIANT_API int pliant_grab_put(pliant_sim *sim, int grab, const int32_t *nodes, int64_t count, const double *x);

/* Releases a grab; -1: all grabs made by pliant_grab and pliant_grab_nodes. */
PLIANT_API int pliant_release(pliant_sim *sim, int grab);

/* Moves an obstacle during the next step, so that its centre is then at x [3], m. q is its rotation relative to its
 * orientation in the scene, as a unit quaternion (w, x, y, z); NULL: the obstacle does not turn. After the step the
 * obstacle stays there. Its path in the scene has no effect any more. */
PLIANT_API int pliant_obstacle_to(pliant_sim *sim, int obstacle, const double x[3], const double *q);

/* Cuts along the plane through x with this normal, up to a distance of `reach`, m, from x; 0: the whole plane. The cut
 * opens faces between cells whose centres are on different sides of the plane. Nodes at the cut get copies, which are
 * numbered after all other nodes. Forces of pliant_put end. *opened gets the number of opened faces; opened may be NULL.
 * A body with "self_contact": true, of hexahedra or of degree 3 cannot be cut. */
PLIANT_API int pliant_cut(pliant_sim *sim, const double x[3], const double normal[3], double reach, int *opened);

#ifdef __cplusplus
}
#endif

#endif
