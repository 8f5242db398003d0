// Fields of files in a scene: a factor on the stiffness of each cell, and the initial displacements and velocities.
#pragma once
#include "scene/scene.h"

/// Multiplies mesh->stiffness by the values of the scene's stiffness_field, if it has one. Fails if the file has other
/// cells than the mesh, or if a value is not more than 0.
bool scene_stiffness_field(const Scene *scene, TetMesh *mesh, Error *error);

/// Reads the scene's initial_fields: displacement u and velocity v, [node_count][3], m and m/s, zero if the scene does
/// not name the field. Adds both to the checksum *sum. u and v must be zeroed.
bool scene_initial_fields(const Scene *scene, const TetMesh *mesh, double (*u)[3], double (*v)[3], uint32_t *sum,
                          Error *error);

/// Returns true if the scene has initial_fields.
static inline bool scene_has_initial_fields(const Scene *scene) {
  return scene->displacement_field[0] || scene->velocity_field[0];
}

// Functions `parse` and `print` of the rows "stiffness_field" and "initial_fields" in scene_options.
bool parse_stiffness_field(void *target, const cJSON *value, const char *name, Error *error);
bool parse_initial_fields(void *target, const cJSON *value, const char *name, Error *error);
cJSON *print_stiffness_field(const void *target);
cJSON *print_initial_fields(const void *target);
