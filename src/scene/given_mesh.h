// Meshes that users of the library (pliant.h) give as arrays in memory. A scene names such a mesh "memory:NAME" in
// place of a file.
#pragma once
#include "base/obstacle.h"
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

#define GIVEN_MESH_PREFIX "memory:"

// A mesh in memory: the mesh of a body, or the surface of an obstacle.
typedef struct GivenMesh {
  char path[SCENE_PATH_LENGTH];  // name in scenes: "memory:NAME"
  TetMesh mesh;                  // mesh of a body; empty for an obstacle
  // triangles of an obstacle, owned by the caller that made the list of meshes; NULL for a body
  ObstacleSurface *surface;
} GivenMesh;

// All meshes in memory that a scene may name. The caller of session_create owns them, and keeps them until this
// function has returned.
typedef struct GivenMeshes {
  const GivenMesh **item;  // [count], pointers to the meshes
  int count;               // number of meshes
} GivenMeshes;

/// Returns true if a path names a mesh in memory.
bool given_mesh_is_named(const char *path);

/// scene_mesh_check: fails unless `path` names a mesh in memory, or a mesh file that can be opened, for a body.
/// scene_surface_check: fails unless it names a surface in memory, or a file with one, for an obstacle.
bool scene_mesh_check(const Scene *scene, const char *path, Error *error);
bool scene_surface_check(const Scene *scene, const char *path, Error *error);

/// Reads the mesh of a body, with elements of this polynomial degree, from memory or from a file. Nodes of a mesh in
/// memory keep their indices. 4-node tets are converted to the degree; 10-node tets need degree 2.
bool scene_mesh_read(const Scene *scene, const char *path, int degree, TetMesh *mesh, Error *error);

/// Called when a scene is saved in the file `path`, since a scene file cannot name a mesh in memory. `mesh` must be the
/// name "memory:NAME" of such a mesh. Writes this mesh to a file in the folder of the scene file, and sets `mesh` to
/// the path of the new file. For a.json, mesh 0 of scene->given_meshes is written to a-mesh-0.vtu, or to a-mesh-0.obj
/// if it is a surface. Replaces an existing file.
bool given_mesh_write(const Scene *scene, const char *path, char mesh[SCENE_PATH_LENGTH], Error *error);

/// Reads the surface of an obstacle from memory or from a file. The caller destroys it.
bool scene_surface_read(const Scene *scene, const char *path, ObstacleSurface **surface, Error *error);
