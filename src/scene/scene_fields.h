// Fields that a scene reads from files: a factor on the stiffness of each cell, and initial displacements and
// velocities of nodes.
#pragma once
#include "scene/scene.h"

/// Multiplies mesh->stiffness by the values of the scene's stiffness_field, if the scene has this key. Fails if the
/// mesh in the field's file has other cells than `mesh`, or if a value is not above 0.
bool scene_stiffness_field(const Scene *scene, TetMesh *mesh, Error *error);

/// Reads the scene's initial_fields: displacements u [node_count], m, and velocities v [node_count], m/s. If the scene
/// does not name one of the two fields, its array keeps the caller's values. Updates the checksum *sum, a CRC-32, with
/// the values that are read.
bool scene_initial_fields(const Scene *scene, const TetMesh *mesh, double (*u)[3], double (*v)[3], uint32_t *sum,
                          Error *error);

/// Returns true if the scene has initial_fields.
static inline bool scene_has_initial_fields(const Scene *scene) {
  return scene->displacement_field[0] || scene->velocity_field[0];
}

// Functions for the rows "stiffness_field" and "initial_fields" of the table scene_options. parse_...: read the value
// of the key into the Scene `target`; messages begin with `name`. print_...: return the value for a scene file; NULL:
// none.
bool parse_stiffness_field(void *target, const cJSON *value, const char *name, Error *error);
bool parse_initial_fields(void *target, const cJSON *value, const char *name, Error *error);
cJSON *print_stiffness_field(const void *target);
cJSON *print_initial_fields(const void *target);
