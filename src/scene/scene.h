// A scene, as a JSON file describes it: bodies, material, supports, loads, methods of the computation, and the look of
// pictures.
#pragma once
#include "base/error.h"
#include "base/path.h"
#include "base/style.h"
#include "mesh/mesh_sets.h"
#include "mesh/separate.h"
#include "scene/asset_path.h"
#include "scene/options.h"
#include "sim/simulation.h"

enum {
  SCENE_PATH_LENGTH = PATH_LENGTH,
  SCENE_PARTS_MAX = 32,
  SCENE_PATH_POINTS_MAX = 256,
  SCENE_OPTIONS_MAX = 96,
  SCENE_VIEWS_MAX = 12
};
enum { SCENE_CUTS_MAX = 64, FORCE_FORMULA = 128, FORCE_POINTS_MAX = 64 };
// SCENE_CURVES: bytes of a list of observables, with the final NUL
enum { SCENE_CURVES = 2048 };
enum { SCENE_BODY_NAME = 32, SCENE_BODY_PINS = 8, SCENE_FIELD_NAME = 64 };

// A region selects nodes or cells by their position at rest. It contains the points strictly inside a box, whose bounds
// may be infinite. It may also be limited by a ball, and restricted to one body and to a named set of the mesh file.
typedef struct Region {
  double low[3], high[3];  // m, bounds of the box
  bool has_ball;           // the region is also limited by a ball
  // 0: the ball's centre is the point `centre`. Otherwise it is the node that is farthest along an axis: 1, 2, 3 along
  // +x, +y, +z, and -1, -2, -3 along -x, -y, -z
  int centre_extreme;
  double centre[3], radius;  // m, centre and radius of the ball
  bool of_body;  // true: the region is restricted to the body body_name or, if body_name is empty, to body `body`
  int body;      // index of a body, from 0; used if of_body is true and body_name is empty
  char body_name[SCENE_BODY_NAME];  // name of a body, used if of_body is true; may be empty
  char set[MESH_SET_NAME];          // set of the mesh file to which the region is restricted; empty: none
} Region;

// A camera in a scene file.
typedef struct SceneCamera {
  bool given;                  // false: the file has no such camera, and only `up` and `fov` are valid
  double eye[3], target[3];    // m, position of the camera, and point at the centre of the view
  double up[3];                // upward direction, a unit vector
  double fov;                  // degrees, vertical field of view
  bool orthographic;           // parallel projection; only for stored views, see Style.orthographic
  char name[SCENE_BODY_NAME];  // only for stored views; may be empty
} SceneCamera;

// The entries of the key "views". If an entry is null, its camera has given = false.
typedef struct SceneViews {
  SceneCamera camera[SCENE_VIEWS_MAX];
  int count;
} SceneViews;

// An entry of "pins": nodes that are held, or moved along a given path.
typedef struct ScenePin {
  Region region;               // the nodes in this region are held
  uint8_t held;                // axes along which nodes are held: PIN_X, PIN_Y and PIN_Z as bits
  char name[SCENE_BODY_NAME];  // for messages and probes; may be empty
  bool moves;                  // the entry has the key "move"
  double move[3];              // m, key "move": displacement of the nodes at the full load, for `pliant solve` only
  RigidMotion motion;          // motion of the nodes along the held axes over time
} ScenePin;

// Kinds of forces. A force in a scene file has one of the keys "total", "traction" and "pressure". Tractions and
// pressures act on those faces of the surface whose corners are all in the region.
typedef enum ForceKind {
  FORCE_TOTAL,     // N, sum of the forces on the region's nodes; ForceShare selects how it is divided among them
  FORCE_TRACTION,  // N/m^2 of the undeformed face, in a constant direction
  FORCE_PRESSURE,  // Pa on the deformed face; positive values push inward
} ForceKind;

// Ways to divide a total force among the nodes of a region. The part of a node is proportional to an integral of its
// shape function.
typedef enum ForceShare {
  SHARE_FITTING,  // SHARE_AREA if the region is on the surface, otherwise SHARE_VOLUME
  SHARE_AREA,     // integral over faces of the surface
  SHARE_VOLUME,   // integral over cells
} ForceShare;

// An entry of "forces" in a scene file: a load on the nodes or faces in a region.
typedef struct SceneForce {
  char name[SCENE_BODY_NAME];  // as users see it; may be empty
  Region region;               // nodes or faces on which the force acts
  ForceKind kind;              // the key of the force: total, traction or pressure
  ForceShare share;            // way of dividing a total force (FORCE_TOTAL) among the nodes
  double value[3];             // N, N/m^2 or Pa, see ForceKind; a pressure uses only value[0]
  // formula[i], if it is not empty, replaces the number value[i]. A formula may contain the time t, s. Formulas of
  // tractions and pressures may also contain the position at rest x, y, z, m.
  char formula[3][FORCE_FORMULA];
  int first_step, last_step;  // first and last step in which the force acts, from 1
  int point_count;            // number of points in over_time; 0: the factor is 1
  // points, each with a time, s, and a factor on the value. Between points the factor is interpolated linearly; it is
  // constant before the first point and after the last one
  double over_time[FORCE_POINTS_MAX][2];
} SceneForce;

// An entry of "drags": nodes that springs pull along a path, or that follow the path exactly.
typedef struct SceneDrag {
  char name[SCENE_BODY_NAME];  // for messages and probes; may be empty
  Region region;               // with a ball: the patch around its centre is pulled; without: all nodes in the region
  // N/m, stiffness of the springs. If it is 0 and the region has a ball, simulation_mouse_stiffness is used. If it is 0
  // and the region has no ball, there are no springs, and the nodes follow the path exactly
  double stiffness;
  int point_count;  // number of points in `path`
  // points of the path: time, s, then three components of the offset from the start of the path, m. Between points the
  // offset is interpolated linearly. The drag ends after the last point
  double path[SCENE_PATH_POINTS_MAX][4];
} SceneDrag;

// An entry of "cuts". The deformed body is cut before the first step that begins at `time` or later.
typedef struct SceneCut {
  char name[SCENE_BODY_NAME];  // as users see it; may be empty
  double time;                 // s, time of the cut
  Blade blade;                 // plane, or bounded part of a plane, along which the body is cut
} SceneCut;

// Measure of the stress in a cell, which is compared with `tear_stress`: the largest principal Cauchy stress, or the
// von Mises stress.
typedef enum TearMeasure { TEAR_PRINCIPAL, TEAR_VON_MISES } TearMeasure;
#define TEAR_MEASURES "principal|von_mises"  // names of the measures, in the order of TearMeasure

// An entry of "materials": a factor on mu and lambda of all cells whose centre at rest is in a region.
typedef struct SceneMaterial {
  char name[SCENE_BODY_NAME];  // as users see it; may be empty
  Region region;               // cells with their centre in this region have another stiffness
  double stiffness;            // factor on mu and lambda
} SceneMaterial;

// An entry of "shapes": a body of a simple shape such as a box. The shape is first rotated about the axes x, y and z,
// in this order, by the angles `turn`, and then moved by `at`.
typedef struct SceneShape {
  char name[SCENE_BODY_NAME];  // as users see it; may be empty
  char kind[16];               // name of the shape, such as "box"
  double size[3];              // m, lengths along x, y and z
  int cells;                   // number of cell edges across the thinnest part
  double at[3], turn[3];       // m, translation; degrees, rotations about x, y and z
} SceneShape;

// An entry of "bodies": a mesh or a shape that is first scaled, then rotated about the origin, then moved. Material
// constants with the value NAN are not set; the scene's constants are then used.
typedef struct SceneBody {
  char name[SCENE_BODY_NAME];    // for messages and regions; may be empty
  char mesh[SCENE_PATH_LENGTH];  // mesh file, absolute or relative to the working directory; empty for a shape
  bool has_shape;
  SceneShape shape;                   // shape of the body, if has_shape; its `at` and `turn` are not used
  double scale[3];                    // factors on the x, y and z coordinates of nodes
  double turn_axis[3], turn_degrees;  // axis and angle of the rotation, right-handed; the axis is not zero
  double translation[3];              // m, after the rotation
  char material[SIMULATION_NAME];     // must be empty or the scene's material
  // material constants: factor on the scene's mu; Young's modulus, Pa; Poisson's ratio; density, kg/m^3; damping, 1/s
  double stiffness, young, poisson, density, damping;
  bool has_color;
  double color[3];                 // sRGB, each 0 to 1, if has_color
  double roughness, transparency;  // properties of the drawn surface, 0 to 1
  double velocity[3];              // m/s, initial velocity of the centre of mass
  double spin[3];                  // rad/s, initial angular velocity about the centre of mass
  int pin_count;                   // number of pins of the body
  ScenePin pins[SCENE_BODY_PINS];  // [pin_count], pins of the body
} SceneBody;

// A scene: the values of all keys of a scene file, or of the options of the command line that replace them.
typedef struct Scene {
  char path[SCENE_PATH_LENGTH];  // file of the scene, for messages
  // mesh file, absolute or relative to the working directory; empty if the scene has shapes or bodies
  char mesh[SCENE_PATH_LENGTH];
  bool mesh_only;                 // the user gave a mesh file, not a scene file: pins and material follow from the mesh
  double scale;                   // factor on the positions of the mesh's nodes
  bool pins_given;                // the user gave the key "pins", possibly with an empty list
  bool contact_given;             // the user gave the key "self_contact"
  bool sticks_given;              // the user gave the key "friction_sticks"
  bool untangle;                  // overlapping bodies are moved apart before the start
  char device[8];                 // "cpu", "cuda", "cuda:1" or "auto", as the user chose
  SimulationSettings simulation;  // material constants, dt, tolerances, methods and others
  double young, poisson;          // Young's modulus, Pa, and Poisson's ratio; equivalent to mu and lambda
  bool by_young;                  // true: the last of the four constants that was set is young or poisson
  int material_keys;              // constants that were read so far: sum of 1 for mu or lambda, 2 for young or poisson
  int pin_count, force_count, drag_count, material_count, shape_count, body_count, cut_count;
  ScenePin pins[SCENE_PARTS_MAX];
  SceneForce forces[SCENE_PARTS_MAX];
  SceneDrag drags[SCENE_PARTS_MAX];
  SceneMaterial materials[SCENE_PARTS_MAX];
  SceneShape shapes[SCENE_PARTS_MAX];
  SceneCut cuts[SCENE_CUTS_MAX];
  // names of the observables that the window plots, separated by commas, as for --probe; empty: none
  char curves[SCENE_CURVES];
  double tear_stress;   // Pa, stress above which a cell is removed before the next step; 0: no tearing
  TearMeasure tear_by;  // stress that is compared with tear_stress
  SceneBody bodies[SCENE_PARTS_MAX];
  char obstacle_name[OBSTACLES_MAX][SCENE_BODY_NAME];    // as users see them; may be empty
  char obstacle_mesh[OBSTACLES_MAX][SCENE_PATH_LENGTH];  // files of mesh obstacles; empty for other obstacles
  const struct GivenMeshes *given_meshes;  // meshes in memory (given_mesh.h) or NULL; not owned, used by session_create
  char begin[SCENE_PATH_LENGTH];           // file with the initial state; empty: the body begins at rest, or twisted
  // Names of fields that are read from files: a factor on the stiffness of each cell, and initial displacements and
  // velocities of nodes. If a name is empty, there is no such field. If a file below is empty, the field is in the mesh
  // file
  char stiffness_field[SCENE_FIELD_NAME], displacement_field[SCENE_FIELD_NAME], velocity_field[SCENE_FIELD_NAME];
  char stiffness_file[SCENE_PATH_LENGTH], initial_file[SCENE_PATH_LENGTH];
  double twist;    // radians, initial rotation of one end of the body relative to the other end
  int twist_axis;  // axis of the twist: 0 x, 1 y, 2 z
  // Treatment of an initial state in which surfaces intersect. true: it is accepted, and the setting self_contact takes
  // effect when the surfaces no longer intersect; false: it is an error
  bool shows_crossings;
  // true for `pliant solve`, which computes equilibria: pins may have the key "move", and gravity is part of the load
  bool quasi_static;
  // element k: text that the command line gives for row k of scene_options; NULL: none. The texts are not owned
  const char *given[SCENE_OPTIONS_MAX];
  uint32_t text_sum;       // CRC-32 of the scene file; 0: the scene was made from a mesh file
  int steps;               // number of steps of `pliant bench`
  double speed;            // largest ratio of simulated to real time in the window; 0: no limit
  double mouse_stiffness;  // N/m, stiffness of the springs by which the mouse pulls; 0: simulation_mouse_stiffness
  double mouse_radius;     // m, radius of the patch that the mouse pulls; 0: 1/20 of the diagonal of the mesh's box
  char environment[SCENE_PATH_LENGTH];  // picture of the surroundings, whose light falls on bodies; "off": none
  Style style;                          // look of pictures, such as the coloured field
  SceneCamera camera;                   // camera of the first picture
  SceneViews views;                     // views that the user can recall in the window
} Scene;

/// All options that a scene file and the command line may set. The last row has the key NULL.
extern const Option scene_options[];

/// Returns true if an option sets a member of Scene.style. *row then gets a copy of the option with which this member
/// can be set in a separate Style: its offset counts from the start of the Style.
bool style_option(const Option *option, Option *row);

/// Returns true if the light of a picture of the surroundings falls on the scene's bodies.
bool scene_has_environment(const Scene *scene);

/// Sets all members to their defaults. The scene then has no mesh.
void scene_defaults(Scene *scene);

/// Returns the camera of a scene file without the key "camera": SceneCamera.given is false, and only the direction `up`
/// and the field of view are set, to their defaults.
SceneCamera scene_camera_defaults(void);

/// Reads a scene file (.json), or makes a scene for a mesh file. Paths in a scene file are relative to its folder.
/// Messages have the form `file: key "...": cause, expected value`.
bool scene_read(Scene *scene, const char *path, Error *error);

/// Returns the text of a scene file, which the caller frees. *length becomes the number of its bytes, without the zero
/// byte at the end. Returns NULL with an error if the file cannot be read or is too large.
char *scene_read_text(const char *path, size_t *length, Error *error);

/// Reads the keys of a JSON object into a scene in which scene_defaults has set all members. scene->path must be the
/// path of the scene file: it begins messages, and paths in the object are relative to its folder. After a failure the
/// scene is undefined.
bool scene_read_object(Scene *scene, const cJSON *object, Error *error);

/// Fails unless all mesh files exist and have known formats. Does not read them, so it is fast.
bool scene_check_mesh(const Scene *scene, Error *error);

/// Records that the command line has set an option to the text `value`. The input log of a session contains this text.
/// The pointer `value` is stored, so the text must stay valid until the program ends.
void scene_note_option(Scene *scene, const Option *option, const char *value);

/// These functions keep the material constants mu, lambda, young and poisson consistent. scene_material_begin must be
/// called before the options of a scene file or of the command line are set; it computes young and poisson from mu and
/// lambda. scene_material_end must be called after these options are set. If young or poisson was set, it computes mu
/// and lambda from young and poisson, and fails if mu or lambda was set too. `source`: name of the scene file or
/// command line in the message.
void scene_material_begin(Scene *scene);
bool scene_material_end(Scene *scene, const char *source, Error *error);

/// Copies the settings and the style of a running session into a Scene, so that the rows of scene_options can read and
/// change them. Also calls scene_material_begin.
void scene_take_settings(Scene *scene, const SimulationSettings *settings, const Style *style);

/// Returns true if a body of the scene can meet another body, an obstacle or the floor.
bool scene_surfaces_can_meet(const Scene *scene);

/// Returns a clause for messages: the behaviour of a scene whose surfaces can meet, if self_contact is off.
const char *scene_without_contact(const Scene *scene);

/// If the user did not give the key "self_contact", sets it. It becomes true if surfaces can meet and all chosen
/// methods support contact. In statics, the scene must also have several bodies or an obstacle whose surface is a mesh.
/// Else it becomes false. If only a feature of the scene prevents contact, returns this feature, for a message; else
/// NULL. Also sets "friction_sticks", if the user did not give it: it becomes true in a scene with contact and
/// friction, unless the scene has a "friction_speed", which only smooth friction uses.
const char *scene_choose_contact(Scene *scene);

/// Not all methods of the computation support cuts, tearing and pressures. Sets the flags of *settings by which
/// suitable default methods are chosen: `cuts` if the scene has "cuts" or a tear_stress, `tears` if it has a
/// tear_stress, and `presses` if one of its forces is a pressure.
void scene_expect_cuts(const Scene *scene, SimulationSettings *settings);

/// Returns the device that scene->device names: for "auto", DEVICE_CUDA if there is a GPU, otherwise DEVICE_CPU; for
/// "cuda" and "cuda:1", DEVICE_CUDA without a test that there is this GPU.
Device scene_device(const Scene *scene);

/// Returns the number of the GPU that scene->device names: 1 for "cuda:1", and 0 for "cuda", "auto" and "cpu". With
/// "cpu", this is the GPU of a linear solver with solver_device "cuda".
int scene_gpu(const Scene *scene);

/// Sets `device` and `gpu` of scene->simulation from scene->device, and calls scene_use_gpu. If scene->device names a
/// GPU that cannot be used, fails with the reason.
bool scene_choose_device(Scene *scene, Error *error);

/// Makes the calling thread use the GPU of a simulation with these settings (device_use). Does nothing if the
/// simulation does not use a GPU, or if the GPU is absent.
bool scene_use_gpu(const SimulationSettings *settings, Error *error);
