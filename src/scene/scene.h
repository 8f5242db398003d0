// A scene: what a JSON file says about a body, its material, what holds and pulls it, and how to compute and show it.
#pragma once
#include "base/error.h"
#include "base/path.h"
#include "base/style.h"
#include "mesh/separate.h"
#include "scene/asset_path.h"
#include "scene/options.h"
#include "sim/simulation.h"

enum { SCENE_PATH_LENGTH = PATH_LENGTH, SCENE_PARTS_MAX = 32, SCENE_PATH_POINTS_MAX = 256, SCENE_OPTIONS_MAX = 96 };
enum { SCENE_CUTS_MAX = 64 };
enum { SCENE_BODY_NAME = 32, SCENE_BODY_PINS = 8 };

// A part of space: the intersection of a box and a ball, both open (strict <). Unbounded where a bound is infinite. Of
// several bodies it may be of one alone.
typedef struct Region {
  double low[3], high[3];  // m
  bool has_ball;
  int centre_extreme;  // 0: `centre` counts; +-(axis + 1): the node farthest along +-axis
  double centre[3], radius;
  bool of_body;  // `body` or, unless empty, `body_name` counts
  int body;      // from 0
  char body_name[SCENE_BODY_NAME];
} Region;

typedef struct ScenePin {
  Region region;
  uint8_t held;    // PIN_ALL, or axes or'ed
  bool moves;      // has "move"
  double move[3];  // m, where `pliant solve` takes what is held
} ScenePin;

typedef struct SceneForce {
  Region region;
  bool is_pressure;           // `pressure` on the faces in the region, else `total` on its nodes
  double pressure;            // Pa, inward, of faces whose corners all are in the region
  double total[3];            // N, shared among the region's nodes in proportion to lumped mass
  int first_step, last_step;  // counted from 1, both included
} SceneForce;

typedef struct SceneDrag {
  Region region;     // a ball: its centre is grabbed, its radius spreads the springs; without one all of it is led
  double stiffness;  // N/m; 0: simulation_mouse_stiffness, or of what is led as if held
  int point_count;
  double path[SCENE_PATH_POINTS_MAX][4];  // time s, offset m; straight in between; let go after the last
} SceneDrag;

// The body is cut before the first step that begins at `time` or later, where it is then.
typedef struct SceneCut {
  double time;  // s
  Blade blade;
} SceneCut;

// By which stress tets tear, where they do.
typedef enum TearMeasure { TEAR_PRINCIPAL, TEAR_VON_MISES } TearMeasure;
#define TEAR_MEASURES "principal|von_mises"  // as the user types them, in this order

// Tets whose centre at rest lies in the region are `stiffness` times as stiff as the material.
typedef struct SceneMaterial {
  Region region;
  double stiffness;
} SceneMaterial;

// A body made by mesh_make_shape, then turned about x, y and z in that order, degrees, and moved, m.
typedef struct SceneShape {
  char kind[16];
  double size[3];  // m
  int cells;
  double at[3], turn[3];
} SceneShape;

// One of several bodies: a mesh or a shape, scaled, turned about the origin, then moved; NAN: as the scene has it.
typedef struct SceneBody {
  char name[SCENE_BODY_NAME];    // may be empty
  char mesh[SCENE_PATH_LENGTH];  // the file, resolved; or a shape
  bool has_shape;
  SceneShape shape;  // its kind, size and cells
  double scale;
  double turn_axis[3], turn_degrees;                   // not zero; right-handed
  double place[3];                                     // m
  char material[SIMULATION_NAME];                      // must be the scene's
  double stiffness, young, poisson, density, damping;  // a factor on the scene's mu, or Pa; kg/m^3; 1/s
  bool has_color;
  double color[3];     // 0 to 1, sRGB
  double velocity[3];  // m/s, in which it begins
  int pin_count;
  ScenePin pins[SCENE_BODY_PINS];  // of this body alone
} SceneBody;

typedef struct Scene {
  char path[SCENE_PATH_LENGTH];  // the file it came from, for messages
  char mesh[SCENE_PATH_LENGTH];  // the mesh file, resolved; or shapes
  bool mesh_only;                // a body alone without a scene file: pins and material follow from its size
  double scale;                  // factor on the mesh's positions
  bool untangle;                 // bodies that overlap are moved apart before all else
  char device[8];                // "cpu", "cuda", "auto"
  SimulationSettings simulation;
  double young, poisson;  // another way to give mu and lambda; kept in step with them
  bool cg_said;           // file or command line say cg_relative
  bool by_young;          // the last source to give the material gave young and poisson: mu and lambda follow
  int material_keys;      // which of the two ways the source being read uses: bits 1 (mu, lambda), 2 (young, poisson)
  int pin_count, force_count, drag_count, material_count, shape_count, body_count, cut_count;
  ScenePin pins[SCENE_PARTS_MAX];
  SceneForce forces[SCENE_PARTS_MAX];
  SceneDrag drags[SCENE_PARTS_MAX];
  SceneMaterial materials[SCENE_PARTS_MAX];
  SceneShape shapes[SCENE_PARTS_MAX];
  SceneCut cuts[SCENE_CUTS_MAX];
  double tear_stress;   // Pa: tets with more of it are taken out before the next step; 0: none is
  TearMeasure tear_by;  // the largest principal Cauchy stress, or von Mises'
  SceneBody bodies[SCENE_PARTS_MAX];
  char obstacle_mesh[OBSTACLES_MAX][SCENE_PATH_LENGTH];  // the file of each obstacle that is a mesh, resolved; or empty
  char begin[SCENE_PATH_LENGTH];  // the file of the state that it begins in, resolved; empty: at rest, or twisted
  double twist;  // radians, initial: of one end of the body against the other along twist_axis, about its middle
  int twist_axis;
  bool shows_crossings;  // bodies that go through each other are shown and move without self_contact until they do not;
                         // else such a beginning is refused
  bool quasi_static;     // loaded without time, by `pliant solve`: its pins may move, and gravity grows as a load
  // by row of scene_options: what the command line says, borrowed from it, or NULL; see scene_note_option
  const char *given[SCENE_OPTIONS_MAX];
  uint32_t text_sum;       // CRC-32 of the file; 0: a mesh alone
  int steps;               // length of the benchmark run
  double speed;            // window: simulated seconds per second at most; 0: as fast as it goes
  double mouse_stiffness;  // N/m; 0: simulation_mouse_stiffness
  double mouse_radius;     // m; 0: 1/20 of the mesh's diagonal
  Style style;             // what is shown besides the shape
  bool has_camera;
  double camera_eye[3], camera_target[3], camera_up[3];  // m; up has unit length
  double camera_fov;                                     // vertical, degrees
} Scene;

/// The rows of everything a scene file and the command line may set.
extern const Option scene_options[];

/// Whether an option is a plain value of Scene.style; *row is then the same of a Style by itself.
bool style_option(const Option *option, Option *row);

/// A scene without a mesh, all else at its default.
void scene_defaults(Scene *scene);

/// Reads a scene (.json), or makes one for a mesh file. Mesh paths are relative to the scene's folder.
/// Fails with "file: key "...": what is wrong, what would be right".
bool scene_read(Scene *scene, const char *path, Error *error);

/// What a window takes where file and command line leave it open, for speed: cg_relative "auto".
void scene_for_window(Scene *scene);

/// Whether the mesh's file exists and its format is known: quick, so that a mistyped command does not open a window
/// first.
bool scene_check_mesh(const Scene *scene, Error *error);

/// Remembers that an option was given on the command line, for the input log. `value` must live as long as the program.
void scene_note_option(Scene *scene, const Option *option, const char *value);

/// Call before and after a source (a file, a command line) sets options: keeps the two ways to give a material in step,
/// and fails where one source uses both.
void scene_material_begin(Scene *scene);
bool scene_material_end(Scene *scene, const char *source, Error *error);

/// Says in the settings whether the scene's body is cut or torn, for the choice of stages and what they take.
void scene_expect_cuts(const Scene *scene, SimulationSettings *settings);

/// The device that "cpu", "cuda" or "auto" means here; "cuda" may be absent. "auto" is one that can take the scene.
Device scene_device(const Scene *scene);

/// Turns "cpu", "cuda" or "auto" into a device that is present. Fails, with the reason, where "cuda" is not.
bool scene_choose_device(Scene *scene, Error *error);
