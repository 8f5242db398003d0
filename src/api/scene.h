// Scenes of pliant.h: the JSON text of a scene file, and meshes from arrays.
#pragma once
#include <cjson/cJSON.h>
#include <stdatomic.h>

#include "api/call.h"
#include "scene/given_mesh.h"

// A mesh from the caller's arrays. Copies of a scene share it.
typedef struct SharedMesh {
  GivenMesh given;
  atomic_int owners;
} SharedMesh;

struct pliant_scene {
  char path[SCENE_PATH_LENGTH];  // name in messages; relative paths start at its folder
  bool mesh_only;                // opened from a mesh file: see Scene.mesh_only
  cJSON *object;                 // keys and values
  const GivenMesh **mesh;        // [mesh_count], each the first member of a SharedMesh
  int mesh_count;
};

/// Creates the engine's Scene from the JSON object; the caller releases it by free(). `meshes` gets the scene's list of
/// meshes, to which the result points, so it must stay valid as long. NULL with an error if a key is invalid.
Scene *api_scene_read(const pliant_scene *scene, GivenMeshes *meshes, Error *error);
