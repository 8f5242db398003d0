// Forms: the mesh of a body at one time, either the scene's mesh or the mesh after some cuts. A form never changes. It
// is reference-counted: the session, stored moments of the past and the window that still draws it may share it. The
// last release frees it.
#pragma once
#include <stdatomic.h>
#include <stdio.h>

#include "base/bytes.h"
#include "mesh/separate.h"
#include "mesh/surface.h"
#include "sim/simulation.h"

typedef struct Form {
  TetMesh mesh;
  Surface surface;
  int *node_first;          // [node_count], original node in the scene's mesh; NULL: this is the scene's mesh
  int *tet_first;           // [tet_count], original tet in the scene's mesh; NULL: no tet was removed
  NodeNumbering numbering;  // order of nodes for simulations with `order_kind`; zeroed: the simulation chooses
  MeshOrder order_kind;     // setting that `numbering` was made with
  size_t bytes;             // estimated memory, without the surface
  atomic_int holders;
} Form;

/// Creates the form of a scene's mesh, with one reference. On success it owns mesh and surface. Returns NULL if memory
/// runs out; then they stay the caller's.
Form *form_create(TetMesh *mesh, Surface *surface, Error *error);

/// Creates the form that results from cutting `form`, with one reference. It takes the mesh of `separation`, whose
/// other arrays stay the caller's. `numbering` is the order of nodes in the old form's simulation. In the new form's
/// order each node is directly followed by its copies, which belong to the same part (NodeNumbering.part). With `last`,
/// all copies come after all other nodes instead; the old order must then have no parts. The new form has no surface
/// yet. Returns NULL if memory runs out.
Form *form_separate(const Form *form, Separation *separation, const NodeNumbering *numbering, bool last,
                    MeshOrder order_kind, Error *error);

Form *form_hold(Form *form);    // adds a reference and returns `form`; NULL is allowed
void form_release(Form *form);  // removes a reference; NULL is allowed

/// Returns the original of a node in the scene's mesh.
static inline int form_first(const Form *form, int node) {
  return form->node_first ? form->node_first[node] : node;
}

/// form_write writes the difference between a form and the form of the scene's mesh. form_read creates the form from
/// it, with one reference and no surface; NULL with an error if the bytes are invalid.
void form_write(const Form *form, FILE *file);
Form *form_read(const Form *scene, Bytes *bytes, Error *error);
