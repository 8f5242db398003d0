// A scene, as a JSON file describes it: a body, its material, its supports and loads, the methods of the computation
// and the properties of the picture.
#pragma once
#include "base/error.h"
#include "base/path.h"
#include "base/style.h"
#include "mesh/mesh_sets.h"
#include "mesh/separate.h"
#include "scene/asset_path.h"
#include "scene/options.h"
#include "sim/simulation.h"

enum { SCENE_PATH_LENGTH = PATH_LENGTH, SCENE_PARTS_MAX = 32, SCENE_PATH_POINTS_MAX = 256, SCENE_OPTIONS_MAX = 96 };
enum { SCENE_CUTS_MAX = 64, FORCE_FORMULA = 128, FORCE_POINTS_MAX = 64 };
enum { SCENE_BODY_NAME = 32, SCENE_BODY_PINS = 8, SCENE_FIELD_NAME = 64 };

// A region of space: the intersection of a box and a ball. Points on the boundary are outside. An infinite bound does
// not limit the region. A region may be restricted to one of several bodies, and to a named set of the mesh file.
typedef struct Region {
  double low[3], high[3];  // m, bounds of the box along x, y and z
  bool has_ball;           // true: the region is limited by a ball
  int centre_extreme;  // 0: the centre of the ball is `centre`. 1, 2, 3: the centre is the node farthest along +x, +y,
                       // +z; -1, -2, -3: the node farthest along -x, -y, -z
  double centre[3], radius;  // m, centre and radius of the ball
  bool of_body;  // true: the region is restricted to the body with the name body_name or, if body_name is empty, to
                 // body number `body`
  int body;      // index of a body, counted from 0
  char body_name[SCENE_BODY_NAME];  // name of a body, used if of_body is true; may be empty
  char set[MESH_SET_NAME];          // name of the set of the mesh file to which the region is restricted; empty: no set
} Region;

typedef struct ScenePin {
  Region region;               // the nodes in this region are pinned
  uint8_t held;                // fixed axes: PIN_ALL, or a combination of PIN_X, PIN_Y and PIN_Z
  char name[SCENE_BODY_NAME];  // may be empty
  bool moves;                  // true: the entry has the key "move"
  double move[3];              // m, displacement that `pliant solve` prescribes on these nodes
  RigidMotion motion;          // the pinned nodes follow this motion along the held axes
} ScenePin;

// Kinds of forces. Each has its own key in a scene: "total", "traction", "pressure". Tractions and pressures act on the
// surface faces with all corners in the region.
typedef enum ForceKind {
  FORCE_TOTAL,     // N, total force on the region, which is divided among its nodes by area or by volume (ForceShare)
  FORCE_TRACTION,  // N/m^2, force per area of the undeformed faces, in a constant direction
  FORCE_PRESSURE,  // Pa, pressure on the deformed faces; positive values push inward
} ForceKind;

// How a total force is divided among nodes: in proportion to the integrals of their shape functions over faces (area)
// or over cells (volume).
typedef enum ForceShare {
  SHARE_FITTING,  // by area if the region is on the surface, else by volume
  SHARE_AREA,     // in proportion to the integrals of shape functions over faces
  SHARE_VOLUME,   // in proportion to the integrals of shape functions over cells
} ForceShare;

typedef struct SceneForce {
  Region region;     // the force acts on nodes or faces in this region
  ForceKind kind;    // the key of the force: total, traction or pressure
  ForceShare share;  // division of the force among nodes; used if `kind` is FORCE_TOTAL
  double value[3];   // N or N/m^2 (ForceKind); a pressure has only value[0]
  // Formulas that replace the numbers in `value`; empty: no formula. Formulas of tractions and pressures may contain x,
  // y, z, the position at rest, m, and t, the time, s. Formulas of totals may contain only t.
  char formula[3][FORCE_FORMULA];
  int first_step, last_step;              // steps in which the force acts, counted from 1, both included
  int point_count;                        // number of points in over_time; 0: the factor is always 1
  double over_time[FORCE_POINTS_MAX][2];  // points (time, s; factor of the value). The factor is linear between points,
                                          // and constant before the first and after the last
} SceneForce;

typedef struct SceneDrag {
  char name[SCENE_BODY_NAME];  // may be empty
  Region region;     // region with a ball: grabs a patch with the centre and the radius of the ball. Without a ball:
                     // grabs all nodes in the region
  double stiffness;  // N/m. 0: with a ball, simulation_mouse_stiffness chooses it; without a ball, the nodes are held
                     // exactly at their targets
  int point_count;   // number of points in `path`
  double path[SCENE_PATH_POINTS_MAX][4];  // points (time, s; offset [3], m). The offset is linear between points. The
                                          // grab ends after the last point
} SceneDrag;

// A cut through the deformed body. It is made before the first step that begins at `time` or later.
typedef struct SceneCut {
  double time;  // s, time of the cut
  Blade blade;  // surface along which the body is cut
} SceneCut;

// The stress measure that is compared with `tear_stress`.
typedef enum TearMeasure { TEAR_PRINCIPAL, TEAR_VON_MISES } TearMeasure;
#define TEAR_MEASURES "principal|von_mises"  // as the user types them, in this order

// A region with another stiffness. `stiffness` multiplies mu and lambda of all cells whose centre, in the undeformed
// body, is in the region.
typedef struct SceneMaterial {
  Region region;     // cells with their centre in this region have another stiffness
  double stiffness;  // factor on mu and lambda
} SceneMaterial;

// A body made by mesh_make_shape, then rotated about x, y and z in this order by `turn`, then translated by `at`.
typedef struct SceneShape {
  char kind[16];          // kind of the shape, such as "box" or "sphere"
  double size[3];         // m, lengths of the shape along x, y and z
  int cells;              // number of cell edges across the thinnest part of the shape
  double at[3], turn[3];  // at: translation, m; turn: rotations about x, y and z, degrees
} SceneShape;

// One of several bodies: a mesh or a shape, which is scaled, rotated about the origin, then translated. If a material
// constant is NAN, the scene's constant is used.
typedef struct SceneBody {
  char name[SCENE_BODY_NAME];    // may be empty
  char mesh[SCENE_PATH_LENGTH];  // path of the mesh file, relative to the working directory or absolute; empty if the
                                 // body is a shape
  bool has_shape;
  SceneShape shape;                   // the body's shape, if has_shape is true; only its kind, size and cells are used
  double scale;                       // factor by which the positions of the body's nodes are multiplied
  double turn_axis[3], turn_degrees;  // axis of rotation, not zero; right-handed
  double translation[3];              // m, translation after the rotation
  char material[SIMULATION_NAME];     // name of the body's material, which must be that of the scene
  double stiffness, young, poisson, density, damping;  // stiffness: factor on the scene's mu. Others: Pa; no unit;
                                                       // kg/m^3; 1/s
  bool has_color;
  double color[3];                 // red, green and blue, 0 to 1, sRGB; used if has_color
  double velocity[3];              // m/s, initial velocity of the centre of mass
  double spin[3];                  // rad/s, initial angular velocity about the centre of mass
  int pin_count;                   // number of pins of this body
  ScenePin pins[SCENE_BODY_PINS];  // pins of this body
} SceneBody;

typedef struct Scene {
  char path[SCENE_PATH_LENGTH];  // the scene's file, for messages
  char mesh[SCENE_PATH_LENGTH];  // path of the mesh file, relative to the working directory or absolute; empty if there
                                 // are shapes or bodies
  bool mesh_only;                // true: the scene was made from a mesh file without a scene file, so pins and material
                                 // follow from the size of the mesh
  double scale;                  // factor by which the positions of the mesh's nodes are multiplied
  bool untangle;                 // true: overlapping bodies are moved apart before the start
  char device[8];                // device as the user chose it: "cpu", "cuda" or "auto"
  SimulationSettings simulation;  // settings of the simulation, such as material constants, dt and tolerances
  double young, poisson;  // Pa, and no unit: alternative to mu and lambda; scene_material_begin and scene_material_end
                          // keep both pairs consistent
  bool by_young;          // true: the last source of material constants (a file or the command line) has set young and
                          // poisson, not mu and lambda
  int material_keys;      // material constants that were set by the source which is being read: bit 1 for mu or lambda,
                          // bit 2 for young or poisson
  int pin_count, force_count, drag_count, material_count, shape_count, body_count, cut_count;
  ScenePin pins[SCENE_PARTS_MAX];
  SceneForce forces[SCENE_PARTS_MAX];
  SceneDrag drags[SCENE_PARTS_MAX];
  SceneMaterial materials[SCENE_PARTS_MAX];
  SceneShape shapes[SCENE_PARTS_MAX];
  SceneCut cuts[SCENE_CUTS_MAX];
  double tear_stress;   // Pa: cells whose stress is above this value are removed before the next step; 0: no tearing
  TearMeasure tear_by;  // stress measure: the largest principal Cauchy stress, or von Mises stress
  SceneBody bodies[SCENE_PARTS_MAX];
  char obstacle_mesh[OBSTACLES_MAX][SCENE_PATH_LENGTH];  // paths of the files of mesh obstacles; empty for other
                                                         // obstacles
  const struct GivenMeshes *given_meshes;  // meshes in memory, see given_mesh.h; NULL: none. Borrowed until
                                           // session_create has returned
  char begin[SCENE_PATH_LENGTH];  // path of the file with the initial state; empty: the body starts at rest, or twisted
  // names of fields in files (scene_fields.h), empty: no field; and paths of these files, empty: the mesh file
  char stiffness_field[SCENE_FIELD_NAME], displacement_field[SCENE_FIELD_NAME], velocity_field[SCENE_FIELD_NAME];
  char stiffness_file[SCENE_PATH_LENGTH], initial_file[SCENE_PATH_LENGTH];
  double twist;          // radians, initial rotation of one end relative to the other, about twist_axis
  int twist_axis;        // axis of the twist: 0 is x, 1 is y, 2 is z
  bool shows_crossings;  // true: an initial state with intersecting surfaces is accepted, and self_contact is off until
                         // the intersections have ended. false: such a state is an error
  bool quasi_static;     // set by the command solve, which increases the load in a sequence of equilibria. Pins may
                         // then have "move", and gravity is part of the load
  // For each row of scene_options: its value on the command line, borrowed, or NULL (scene_note_option).
  const char *given[SCENE_OPTIONS_MAX];
  uint32_t text_sum;       // CRC-32 of the scene file; 0: the scene was made from a mesh file
  int steps;               // number of steps of the command benchmark
  double speed;            // maximum number of simulated seconds per real second, in the window; 0: no limit
  double mouse_stiffness;  // N/m, stiffness of the mouse's grab; 0: simulation_mouse_stiffness chooses it
  double mouse_radius;     // m, radius of the patch that the mouse grabs; 0: 1/20 of the mesh's diagonal
  Style style;             // properties of the picture, such as colours
  bool has_camera;         // true: the scene has the key "camera"
  // camera_eye: position of the camera, m. camera_target: point at which it is directed, m. camera_up: upward
  // direction, of unit length
  double camera_eye[3], camera_target[3], camera_up[3];
  double camera_fov;  // vertical field of view, degrees
} Scene;

/// All options that a scene file and the command line may set. Ends with a row whose key is NULL.
extern const Option scene_options[];

/// Returns true if an option is a plain value in Scene.style. *row then gets a copy of the option whose offset is
/// relative to a Style, not to a Scene.
bool style_option(const Option *option, Option *row);

/// Sets all members to their defaults. The scene has no mesh yet.
void scene_defaults(Scene *scene);

/// Reads a scene file (.json), or makes a scene for a mesh file. Paths of meshes in a scene file are relative to its
/// folder. An error has the form `file: key "...": cause, expected value`.
bool scene_read(Scene *scene, const char *path, Error *error);

/// Returns the text of a scene file, which the caller frees. *length gets its number of bytes, without the zero byte at
/// the end. Returns NULL with an error if the file cannot be read or is too large.
char *scene_read_text(const char *path, size_t *length, Error *error);

/// Reads the keys of a JSON object into a scene, which scene_defaults has initialised. scene->path is the name of the
/// scene in messages, and relative paths are relative to its folder. An error has the form `name: key "...": cause,
/// expected value`. On failure the scene is undefined.
bool scene_read_object(Scene *scene, const cJSON *object, Error *error);

/// Fails unless all mesh files exist and have known formats. Does not read the meshes, so that a mistyped name is
/// reported before a window opens.
bool scene_check_mesh(const Scene *scene, Error *error);

/// Records that an option was given on the command line, for the input log. `value` must stay valid until the program
/// ends.
void scene_note_option(Scene *scene, const Option *option, const char *value);

/// scene_material_begin must be called before the options of a source are set, and scene_material_end after this. A
/// source is a file or the command line. scene_material_end computes mu and lambda from young and poisson, or young and
/// poisson from mu and lambda. It fails if the source has set constants of both pairs.
void scene_material_begin(Scene *scene);
bool scene_material_end(Scene *scene, const char *source, Error *error);

/// Sets the members cuts, tears and presses of `settings` from the scene. The choice of default methods depends on
/// these three.
void scene_expect_cuts(const Scene *scene, SimulationSettings *settings);

/// Returns the device for scene->device: "cpu", "cuda" or "auto". "auto" gives CUDA if a GPU is present. "cuda" gives
/// CUDA even if no GPU is present.
Device scene_device(const Scene *scene);

/// Sets scene->simulation.device from scene->device: "cpu", "cuda" or "auto". Fails with the reason if CUDA is
/// requested but not available.
bool scene_choose_device(Scene *scene, Error *error);
