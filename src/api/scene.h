// Scenes of pliant.h: the JSON text of a scene file, and meshes from arrays.
#pragma once
#include <cjson/cJSON.h>
#include <stdatomic.h>

#include "api/call.h"
#include "scene/given_mesh.h"

// A mesh made from the caller's arrays. All copies of a scene use the same SharedMesh; the last of them frees it.
typedef struct SharedMesh {
  GivenMesh given;
  atomic_int owners;  // number of scenes that use the mesh
} SharedMesh;

struct pliant_scene {
  char
      path[SCENE_PATH_LENGTH];  // name of the scene in messages; its folder is the start of relative paths in the scene
  bool mesh_only;               // the scene was opened from a mesh file, see Scene.mesh_only
  cJSON *object;                // keys of the scene and their values
  const GivenMesh **mesh;       // [mesh_count] meshes from arrays; each is the first member of a SharedMesh
  int mesh_count;
  Listener listener;  // functions for progress and notices of the sims that are created from this scene
};

/// Creates the engine's Scene from the scene's JSON object. The caller frees the result. *meshes receives the list of
/// the scene's meshes. The result contains a pointer to *meshes, so *meshes must exist as long as the result. Returns
/// NULL with an error if a key is invalid.
Scene *api_scene_read(const pliant_scene *scene, GivenMeshes *meshes, Error *error);
