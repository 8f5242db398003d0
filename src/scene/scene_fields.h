// Fields that a scene reads from files: a factor on the stiffness of each cell, and initial displacements and
// velocities of nodes.
#pragma once
#include "scene/scene.h"

/// Multiplies mesh->stiffness by the values of the scene's stiffness_field, if it has one. Fails if the cells in the
/// file differ from those of the mesh, or if a value is not above 0.
bool scene_stiffness_field(const Scene *scene, TetMesh *mesh, Error *error);

/// Reads the scene's initial_fields: displacement u [node_count][3], m, and velocity v [node_count][3], m/s. The caller
/// sets u and v to 0 before; a field that the scene does not name stays 0. Adds both fields to the checksum *sum.
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
