// Meshes from arrays in memory, which users of the library (pliant.h) pass. A scene names such a mesh "memory:NAME" in
// place of a file.
#pragma once
#include "base/obstacle.h"
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

#define GIVEN_MESH_PREFIX "memory:"

// A mesh of a body, or the surface of an obstacle.
typedef struct GivenMesh {
  char path[SCENE_PATH_LENGTH];  // the name that a scene uses in place of a file's path: "memory:NAME"
  TetMesh mesh;                  // mesh of a body; empty if this is the surface of an obstacle
  // surface of an obstacle; NULL if this is the mesh of a body. The caller who made the list owns it
  ObstacleSurface *surface;
} GivenMesh;

// The meshes of a scene in memory. They are owned by the caller, and must stay valid until session_create has returned.
typedef struct GivenMeshes {
  const GivenMesh **item;  // [count], pointers to the meshes
  int count;               // number of meshes
} GivenMeshes;

/// Returns true if a path names a mesh in memory.
bool given_mesh_is_named(const char *path);

/// These functions fail unless the scene has a mesh (a surface) with this path: in memory, or as a file that can be
/// opened.
bool scene_mesh_check(const Scene *scene, const char *path, Error *error);
bool scene_surface_check(const Scene *scene, const char *path, Error *error);

/// Reads a mesh of the given degree, as mesh_read does, from memory or from a file. Nodes in memory keep their numbers.
/// A mesh of straight tets is converted to the degree. A mesh of 10-node tets requires degree 2.
bool scene_mesh_read(const Scene *scene, const char *path, int degree, TetMesh *mesh, Error *error);

/// Writes a mesh in memory to a file beside the scene file `path`, and replaces `mesh`, its name, by the path of that
/// file. For a.json, the first mesh of the list gets the file a-mesh-0.vtu or, if it is a surface, a-mesh-0.obj. An
/// existing file is replaced.
bool given_mesh_write(const Scene *scene, const char *path, char mesh[SCENE_PATH_LENGTH], Error *error);

/// Reads the surface of an obstacle, which the caller destroys, from memory or from a file.
bool scene_surface_read(const Scene *scene, const char *path, ObstacleSurface **surface, Error *error);
