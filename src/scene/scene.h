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

// A part of space: the intersection of a box and a ball, both open (strict <). An infinite bound does not limit the
// region. A region may be restricted to one of several bodies, and to a named set of the mesh file.
typedef struct Region {
  double low[3], high[3];  // m
  bool has_ball;
  int centre_extreme;  // 0: the centre is `centre`; 1, 2, 3: it is the node farthest along +x, +y, +z; -1, -2, -3:
                       // along -x, -y, -z
  double centre[3], radius;
  bool of_body;  // restricted to the body `body_name` or, if that is empty, `body`
  int body;      // from 0
  char body_name[SCENE_BODY_NAME];
  char set[MESH_SET_NAME];  // empty: not restricted to a set
} Region;

typedef struct ScenePin {
  Region region;
  uint8_t held;                // fixed axes: PIN_ALL, or a combination of PIN_X, PIN_Y and PIN_Z
  char name[SCENE_BODY_NAME];  // may be empty
  bool moves;                  // has "move"
  double move[3];              // m, displacement that `pliant solve` prescribes on these nodes
  RigidMotion motion;          // the pinned nodes follow this motion along the held axes
} ScenePin;

// Kinds of forces. Each has its own key in a scene: "total", "traction", "pressure". Tractions and pressures act on the
// surface faces with all corners in the region.
typedef enum ForceKind {
  FORCE_TOTAL,     // N, shared by area or by volume
  FORCE_TRACTION,  // N/m^2 of the area at rest, in a direction that stays
  FORCE_PRESSURE,  // Pa, inward, on the deformed faces
} ForceKind;

// How a total force is divided among nodes: in proportion to the integrals of their shape functions over faces (area)
// or over cells (volume).
typedef enum ForceShare {
  SHARE_FITTING,  // by area if the region is on the surface, else by volume
  SHARE_AREA,
  SHARE_VOLUME,
} ForceShare;

typedef struct SceneForce {
  Region region;
  ForceKind kind;
  ForceShare share;  // used by totals
  double value[3];   // N, N/m^2; a pressure has only the first
  // Formulas that replace the numbers `value`; empty: none. They may contain x, y, z, the position at rest in m, and t,
  // the time in s; those of totals only t.
  char formula[3][FORCE_FORMULA];
  int first_step, last_step;              // counted from 1, both included
  int point_count;                        // 0: the factor is 1
  double over_time[FORCE_POINTS_MAX][2];  // time s, factor of the value; linear in between, constant outside
} SceneForce;

typedef struct SceneDrag {
  char name[SCENE_BODY_NAME];  // may be empty
  Region region;     // with a ball: grabs a patch at its centre, of its radius; without: grabs all nodes in the region
  double stiffness;  // N/m; 0: simulation_mouse_stiffness with a ball, else the default of simulation_grab_nodes
  int point_count;
  double path[SCENE_PATH_POINTS_MAX][4];  // time s, offset m; linear in between; the grab ends after the last point
} SceneDrag;

// Cuts the body, in its deformed position, before the first step that begins at `time` or later.
typedef struct SceneCut {
  double time;  // s
  Blade blade;
} SceneCut;

// The stress measure that is compared with `tear_stress`.
typedef enum TearMeasure { TEAR_PRINCIPAL, TEAR_VON_MISES } TearMeasure;
#define TEAR_MEASURES "principal|von_mises"  // as the user types them, in this order

// A region with another stiffness. For tets with their centre at rest in the region, `stiffness` multiplies mu and
// lambda.
typedef struct SceneMaterial {
  Region region;
  double stiffness;
} SceneMaterial;

// A body made by mesh_make_shape, then rotated about x, y and z in this order by `turn`, then translated by `at`.
typedef struct SceneShape {
  char kind[16];
  double size[3];  // m
  int cells;
  double at[3], turn[3];  // m, degrees
} SceneShape;

// One of several bodies: a mesh or a shape, scaled, rotated about the origin, then translated. A constant that is NAN
// has the scene's value.
typedef struct SceneBody {
  char name[SCENE_BODY_NAME];    // may be empty
  char mesh[SCENE_PATH_LENGTH];  // resolved path of the mesh file; empty if the body is a shape
  bool has_shape;
  SceneShape shape;  // only kind, size and cells are used
  double scale;
  double turn_axis[3], turn_degrees;                   // axis of rotation, not zero; right-handed
  double translation[3];                               // m, translation
  char material[SIMULATION_NAME];                      // must equal the scene's material
  double stiffness, young, poisson, density, damping;  // factor on the scene's mu; Pa; no unit; kg/m^3; 1/s
  bool has_color;
  double color[3];     // 0 to 1, sRGB
  double velocity[3];  // m/s, initial velocity of the centre of mass
  double spin[3];      // rad/s, initial angular velocity about the centre of mass
  int pin_count;
  ScenePin pins[SCENE_BODY_PINS];  // pins of this body
} SceneBody;

typedef struct Scene {
  char path[SCENE_PATH_LENGTH];  // the scene's file, for messages
  char mesh[SCENE_PATH_LENGTH];  // resolved path of the mesh file; empty if there are shapes or bodies
  bool mesh_only;                // made from a mesh file without a scene file: pins and material follow from its size
  double scale;                  // factor on the mesh's positions
  bool untangle;                 // overlapping bodies are moved apart before the start
  char device[8];                // "cpu", "cuda", "auto"
  SimulationSettings simulation;
  double young, poisson;  // alternative to mu and lambda; scene_material_begin and _end keep both pairs consistent
  bool by_young;          // the last file or command line that set material constants gave young and poisson, not mu
                          // and lambda
  int material_keys;      // constants that the file or command line being read has set: a sum of 1 for mu or lambda and
                          // 2 for young or poisson
  int pin_count, force_count, drag_count, material_count, shape_count, body_count, cut_count;
  ScenePin pins[SCENE_PARTS_MAX];
  SceneForce forces[SCENE_PARTS_MAX];
  SceneDrag drags[SCENE_PARTS_MAX];
  SceneMaterial materials[SCENE_PARTS_MAX];
  SceneShape shapes[SCENE_PARTS_MAX];
  SceneCut cuts[SCENE_CUTS_MAX];
  double tear_stress;   // Pa: tets above this stress are removed before the next step; 0: no tearing
  TearMeasure tear_by;  // stress measure: the largest principal Cauchy stress, or von Mises stress
  SceneBody bodies[SCENE_PARTS_MAX];
  char obstacle_mesh[OBSTACLES_MAX][SCENE_PATH_LENGTH];  // resolved paths of mesh obstacles; else empty
  const struct GivenMeshes *given_meshes;  // meshes in memory, see given_mesh.h; borrowed until the session is created;
                                           // NULL: none
  char begin[SCENE_PATH_LENGTH];  // resolved path of the file with the initial state; empty: at rest, or twisted
  // names of fields in files, see scene_fields.h; empty: none. Paths are resolved; empty: the mesh file
  char stiffness_field[SCENE_FIELD_NAME], displacement_field[SCENE_FIELD_NAME], velocity_field[SCENE_FIELD_NAME];
  char stiffness_file[SCENE_PATH_LENGTH], initial_file[SCENE_PATH_LENGTH];
  double twist;  // radians, initial rotation of one end relative to the other, about twist_axis
  int twist_axis;
  bool shows_crossings;  // accepts an initial state with intersecting surfaces: self_contact is off until the
                         // intersections have ended; else such a state is an error
  bool quasi_static;     // set by `pliant solve`, which increases the load without time: pins may have "move", and
                         // gravity is part of the load
  // For each row of scene_options: the value given on the command line, borrowed, or NULL (scene_note_option).
  const char *given[SCENE_OPTIONS_MAX];
  uint32_t text_sum;       // CRC-32 of the scene file; 0: the scene was made from a mesh file
  int steps;               // length of the benchmark run
  double speed;            // window: maximum of simulated seconds per second; 0: no limit
  double mouse_stiffness;  // N/m; 0: simulation_mouse_stiffness
  double mouse_radius;     // m; 0: 1/20 of the mesh's diagonal
  Style style;             // properties of the picture
  bool has_camera;
  double camera_eye[3], camera_target[3], camera_up[3];  // m; up has unit length
  double camera_fov;                                     // vertical, degrees
} Scene;

/// All options that a scene file and the command line may set. Ends with a row whose key is NULL.
extern const Option scene_options[];

/// Returns true if an option is a plain value of Scene.style. *row is then a copy of the option whose offset counts
/// from the start of a Style.
bool style_option(const Option *option, Option *row);

/// Sets all members to their defaults. The scene has no mesh yet.
void scene_defaults(Scene *scene);

/// Reads a scene (.json), or makes one for a mesh file. Mesh paths are relative to the scene's folder.
/// An error has the form `file: key "...": cause, expected value`.
bool scene_read(Scene *scene, const char *path, Error *error);

/// Returns the text of a scene file, which the caller frees. *length: its bytes, without the zero byte that follows.
/// NULL with an error if it cannot be read or is too large.
char *scene_read_text(const char *path, size_t *length, Error *error);

/// Reads the keys of a JSON object into a scene that scene_defaults has set. scene->path names it in messages; its
/// folder is that of relative paths. Fails as scene_read does. On failure the scene is undefined.
bool scene_read_object(Scene *scene, const cJSON *object, Error *error);

/// Fails unless all mesh files exist and have known formats. This is quick: it finds a mistyped name before a window
/// opens.
bool scene_check_mesh(const Scene *scene, Error *error);

/// Records that an option was given on the command line, for the input log. `value` is borrowed for the program's
/// lifetime.
void scene_note_option(Scene *scene, const Option *option, const char *value);

/// Call these before and after options of one source, a file or a command line, are set. They compute mu and lambda
/// from young and poisson or the reverse. scene_material_end fails if the source has set values of both pairs.
void scene_material_begin(Scene *scene);
bool scene_material_end(Scene *scene, const char *source, Error *error);

/// Sets the members cuts, tears and presses of `settings` from the scene. The choice of default methods depends on
/// them.
void scene_expect_cuts(const Scene *scene, SimulationSettings *settings);

/// The device for the scene's "cpu", "cuda" or "auto". "auto" is CUDA if a GPU is present; "cuda" may be absent.
Device scene_device(const Scene *scene);

/// Sets simulation.device from "cpu", "cuda" or "auto". Fails with the reason if CUDA is requested but absent.
bool scene_choose_device(Scene *scene, Error *error);
