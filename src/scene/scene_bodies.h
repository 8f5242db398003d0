// The bodies of a scene that has several: how its key "bodies" is read and written, what each is made of, and the one
// mesh that they make.
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

// What a body is made of, against the scene's material as it is when the body is made.
typedef struct BodyConstants {
  double stiffness;  // factor on the scene's mu
  double ratio;      // lambda over mu; NAN: the scene's
  double density;    // kg/m^3; NAN: the scene's
  double damping;    // 1/s; NAN: the scene's
} BodyConstants;

/// `parse` and `print` of the row "bodies" of scene_options. Messages name the place: "bodies[2].scale".
bool parse_bodies(void *target, const cJSON *value, const char *name, Error *error);
cJSON *print_bodies(const void *target);

/// What does not depend on the order of a scene's keys: that each body has one mesh or one shape, one way to give its
/// stiffness, the scene's material; that regions name bodies that there are.
bool scene_bodies_check(const Scene *scene, Error *error);

/// Of the k-th body: Young's modulus and Poisson's ratio that are not given are the scene's.
BodyConstants scene_body_constants(const Scene *scene, int k);

/// Has the k-th body say in exact numbers what it is made of, where what it says now would give something else: the
/// scene's moduli may have changed since it was made.
void scene_body_fix(Scene *scene, int k, const BodyConstants *made);

/// All bodies in one mesh: each scaled, turned, placed, its nodes and tets behind those of the one before, with what
/// nodes and tets have of their own.
bool scene_bodies_make(const Scene *scene, TetMesh *mesh, Error *error);

/// The k-th of all pins, those of the scene and then those of its bodies, each with its region and how messages call
/// the list that it stands in, "bodies[2].pins", and its place there from 0. False past the last.
typedef struct ListedPin {
  ScenePin pin;
  char list[32];
  int entry;
} ListedPin;
bool scene_pin(const Scene *scene, int k, ListedPin *listed);

/// The colours of all bodies, [SCENE_PARTS_MAX]: sRGB, and 1 where a body has one, else 0.
void scene_body_colors(const Scene *scene, double (*color)[4]);

/// "ball", or "body 2" where the third one has no name.
void scene_body_name(const Scene *scene, int k, char name[SCENE_BODY_NAME + 16]);
