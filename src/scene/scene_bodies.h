// Scenes with several bodies: the key "bodies", the material constants of each body, and one mesh of all bodies.
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

// Material constants of a body, relative to the constants that the scene had when the mesh of the body was made.
typedef struct BodyConstants {
  double stiffness;  // factor on the scene's mu
  double ratio;      // lambda / mu; NAN: as in the scene
  double density;    // kg/m^3; NAN: as in the scene
  double damping;    // coefficient of damping, 1/s; NAN: as in the scene
} BodyConstants;

/// All keys of a body, an entry of "bodies". The last row has the key NULL.
extern const Option body_options[];

/// Functions for the row "bodies" of the table scene_options. parse_bodies reads the value of the key into the Scene
/// `target`; its messages name a key of a body as "bodies[2].scale". print_bodies returns the value for a scene file.
bool parse_bodies(void *target, const cJSON *value, const char *name, Error *error);
cJSON *print_bodies(const void *target);

/// Checks the bodies after all keys of a scene were read. Each must have a mesh or a shape, the scene's material model,
/// and at most one of the keys stiffness and young. Names of bodies must differ, and regions must name existing bodies.
bool scene_bodies_check(const Scene *scene, Error *error);

/// Returns the material constants of body k from its keys. If the body has only one of the keys young and poisson, the
/// scene's value is used for the other key.
BodyConstants scene_body_constants(const Scene *scene, int k);

/// Must be called for body k before a scene is saved, so that the saved body has the present stiffness. `made`:
/// constants with which the body was made, relative to the scene's. If the scene's moduli have changed since then, the
/// key "young" of the body may no longer fit. It is then replaced by the key "stiffness" with the value
/// made->stiffness, a factor on the scene's moduli.
void scene_body_fix(Scene *scene, int k, const BodyConstants *made);

/// Makes one mesh of all bodies. Each body is first scaled, rotated and moved. Nodes and tets are in the order of the
/// bodies. If a body's material constants differ from the scene's, the mesh gets arrays with the constants of each tet
/// and node.
bool scene_bodies_make(const Scene *scene, TetMesh *mesh, Error *error);

// A pin in the list of all pins of a scene. The scene's "pins" come first, then the pins of each body.
typedef struct ListedPin {
  ScenePin pin;   // a copy of the pin
  char list[32];  // list that contains the pin, for messages: "pins" or "bodies[2].pins"
  int entry;      // index of the pin in `list`, from 0
} ListedPin;

/// Copies pin k of the list of all pins to *listed. Returns false if there are fewer pins. The region of a body's pin
/// is restricted to this body.
bool scene_pin(const Scene *scene, int k, ListedPin *listed);

/// Fills look [LOOKS_MAX] with colour, roughness and transparency of the bodies. Entries without a body have the
/// default look.
void scene_body_looks(const Scene *scene, BodyLook *look);

/// Writes the name of body k for messages: "ball", or "body 2" if bodies[2] has no name.
void scene_body_name(const Scene *scene, int k, char name[SCENE_BODY_NAME + 16]);
