// Scenes with several bodies: reading and writing of the key "bodies", the material constants of each body, and the
// joined mesh.
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

// Material constants of a body, relative to the scene's material when the body is made.
typedef struct BodyConstants {
  double stiffness;  // factor on the scene's mu
  double ratio;      // lambda / mu; NAN: the scene's
  double density;    // kg/m^3; NAN: the scene's
  double damping;    // 1/s; NAN: the scene's
} BodyConstants;

/// Functions `parse` and `print` of the row "bodies" of scene_options. Messages name the key: "bodies[2].scale".
bool parse_bodies(void *target, const cJSON *value, const char *name, Error *error);
cJSON *print_bodies(const void *target);

/// Checks the bodies after all keys of a scene are read. Each body must have one mesh or one shape, at most one of
/// stiffness and young, and the scene's material. Regions must name existing bodies.
bool scene_bodies_check(const Scene *scene, Error *error);

/// The constants of the k-th body. Young's modulus and Poisson's ratio default to the scene's.
BodyConstants scene_body_constants(const Scene *scene, int k);

/// Called when a scene is saved. A body's constants are given relative to the scene's moduli, which may have changed
/// since the body was made. If the entries of the k-th body would now give other constants than `made`, its stiffness
/// is set to the factor with which it was made.
void scene_body_fix(Scene *scene, int k, const BodyConstants *made);

/// Makes one mesh of all bodies, each scaled, rotated and translated. Nodes and tets are in the order of the bodies.
/// Arrays of constants per tet and per node are filled if a body differs from the scene.
bool scene_bodies_make(const Scene *scene, TetMesh *mesh, Error *error);

// A pin of the scene or of one of its bodies. scene_pin counts them together: first the scene's, then those of each
// body.
typedef struct ListedPin {
  ScenePin pin;
  char list[32];  // name of its list in messages: "bodies[2].pins"
  int entry;      // index in this list, from 0
} ListedPin;

/// Gives the k-th entry, with its region restricted to its body. Returns false after the last.
bool scene_pin(const Scene *scene, int k, ListedPin *listed);

/// Fills the colours of all bodies, [SCENE_PARTS_MAX][4]: sRGB, then 1 if the body has a colour, else 0.
void scene_body_colors(const Scene *scene, double (*color)[4]);

/// Writes a body's name for messages: "ball", or "body 2" if the third body has no name.
void scene_body_name(const Scene *scene, int k, char name[SCENE_BODY_NAME + 16]);
