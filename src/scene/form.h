// A form is the mesh of a body between two cuts: the scene's mesh, or the mesh after some cuts. A form never changes.
// It is reference-counted, because the session, stored earlier states and the drawing window share it.
#pragma once
#include <stdatomic.h>
#include <stdio.h>

#include "base/bytes.h"
#include "mesh/separate.h"
#include "mesh/surface.h"
#include "sim/simulation.h"

typedef struct Form {
  TetMesh mesh;     // nodes, cells, and material constants of cells
  Surface surface;  // triangles of the surface, for drawing and picking
  // [node_count]: node a of this form is node node_first[a] of the scene's mesh, or a copy of that node that a cut has
  // made; NULL: this form is the scene's mesh
  int *node_first;
  // [tet_count]: tet e of this form is tet tet_first[e] of the scene's mesh; NULL: tet e is tet e of the scene's mesh
  int *tet_first;
  // order of the nodes in a simulation whose setting `order` is order_kind; zeroed: the simulation computes an order
  NodeNumbering numbering;
  MeshOrder order_kind;  // value of the setting `order` for which `numbering` was made
  size_t bytes;          // estimated memory of the form without its surface
  atomic_int holders;    // number of references; the last release frees the form
} Form;

/// Creates a form, which owns a mesh and its surface, from the mesh of a scene. The form has one reference, and takes
/// ownership of *mesh and *surface. Returns NULL with an error if memory is short; the caller then still owns both.
Form *form_create(TetMesh *mesh, Surface *surface, Error *error);

/// Creates the form after a cut of `form`, with one reference and no surface. Takes ownership of separation->mesh, but
/// not of its other arrays. numbering: order of the nodes of `form`. The cut has duplicated nodes; `last` selects their
/// positions in the new order. true: the copies come after all other nodes; `numbering` must then have no parts (groups
/// of neighbouring nodes). false: each copy follows its original and belongs to the same part. Returns NULL with an
/// error if memory is short.
Form *form_separate(const Form *form, Separation *separation, const NodeNumbering *numbering, bool last,
                    MeshOrder order_kind, Error *error);

Form *form_hold(Form *form);    // adds a reference and returns `form`, which may be NULL
void form_release(Form *form);  // removes a reference; accepts NULL

/// Returns the index of a node in the uncut mesh of the scene. If a cut has made the node as a copy, returns the index
/// of its original.
static inline int form_first(const Form *form, int node) {
  return form->node_first ? form->node_first[node] : node;
}

/// form_write: writes the arrays of nodes and tets by which a form, a mesh after cuts, differs from the scene's mesh.
/// form_read: creates the form again from these bytes and from `scene`, the form of the scene's mesh. The new form has
/// one reference and no surface. Returns NULL with an error if the bytes are invalid.
void form_write(const Form *form, FILE *file);
Form *form_read(const Form *scene, Bytes *bytes, Error *error);
