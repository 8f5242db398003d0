// Scenes with several bodies. This header has functions for the key "bodies", for the material constants of each body,
// and for the common mesh of all bodies.
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

// Material constants of a body. `stiffness` is relative to the scene's material at the time when the body is made.
typedef struct BodyConstants {
  double stiffness;  // factor by which the body multiplies the scene's mu
  double ratio;      // ratio lambda / mu of Lame's constants; NAN: the scene's ratio
  double density;    // density, kg/m^3; NAN: the scene's density
  double damping;    // coefficient of damping, 1/s; NAN: the scene's damping
} BodyConstants;

/// Functions `parse` and `print` of the row "bodies" of scene_options. Messages name a key by its body:
/// "bodies[2].scale".
bool parse_bodies(void *target, const cJSON *value, const char *name, Error *error);
cJSON *print_bodies(const void *target);

/// Checks the bodies after all keys of a scene are read. Each body must have either a mesh or a shape, and the scene's
/// material. It may have one of the keys stiffness and young. Regions must name existing bodies.
bool scene_bodies_check(const Scene *scene, Error *error);

/// Returns the constants of the k-th body. If it has only one of Young's modulus and Poisson's ratio, the other is the
/// scene's.
BodyConstants scene_body_constants(const Scene *scene, int k);

/// Corrects the stiffness of the k-th body before a scene is saved. A body's constants are relative to the scene's
/// moduli, which may have changed since the body was made. If the body's entries would give other constants than `made`
/// when the scene is read, its stiffness is set to made->stiffness.
void scene_body_fix(Scene *scene, int k, const BodyConstants *made);

/// Makes one mesh of all bodies, each scaled, rotated and translated. Nodes and tets are in the order of the bodies. If
/// a body has other material constants than the scene, the mesh gets arrays of constants per tet and per node.
bool scene_bodies_make(const Scene *scene, TetMesh *mesh, Error *error);

// A pin of the scene or of one of its bodies, in a common list: first the scene's pins, then those of each body.
typedef struct ListedPin {
  ScenePin pin;   // the pin, with its region
  char list[32];  // name of its list in messages: "bodies[2].pins"
  int entry;      // index of the pin in `list`, from 0
} ListedPin;

/// Gets the k-th pin of the common list. The region of a body's pin is restricted to the body. Returns false if there
/// are not so many pins.
bool scene_pin(const Scene *scene, int k, ListedPin *listed);

/// Fills color [SCENE_PARTS_MAX][4] with the colours of all bodies: three components, sRGB, then 1 if the body has a
/// colour, else 0.
void scene_body_colors(const Scene *scene, double (*color)[4]);

/// Writes a body's name for messages: "ball", or "body 2" if the third body has no name.
void scene_body_name(const Scene *scene, int k, char name[SCENE_BODY_NAME + 16]);
