// A form is the mesh of a body at one time: the scene's mesh, or the mesh after some cuts. A form never changes. It is
// reference-counted, since several objects use one form: the session, stored earlier states, and the window that draws
// the body. The last release frees the form.
#pragma once
#include <stdatomic.h>
#include <stdio.h>

#include "base/bytes.h"
#include "mesh/separate.h"
#include "mesh/surface.h"
#include "sim/simulation.h"

typedef struct Form {
  TetMesh mesh;             // the mesh: nodes, tets, and material constants of tets
  Surface surface;          // triangles of the mesh's surface, for drawing and picking
  int *node_first;          // [node_count], for each node the node of the scene's mesh of which it is a copy; NULL:
                            // this is the scene's mesh
  int *tet_first;           // [tet_count], for each tet its index in the scene's mesh; NULL: no tet was removed
  NodeNumbering numbering;  // order of nodes for simulations whose setting `order` is order_kind; zeroed: the
                            // simulation chooses the order
  MeshOrder order_kind;     // setting `order` for which `numbering` was made
  size_t bytes;             // estimated memory, without the surface
  atomic_int holders;       // number of references to the form
} Form;

/// Creates the form of a scene's mesh, with one reference. On success the form owns *mesh and *surface. Returns NULL if
/// memory runs out; the caller then still owns both.
Form *form_create(TetMesh *mesh, Surface *surface, Error *error);

/// Creates the form after a cut of `form`, with one reference. It takes ownership of the mesh of `separation`; the
/// caller still owns the other arrays of `separation`. `numbering` is the order of nodes in the simulation of the old
/// form. In the order of the new form, the copies of a node come directly after the node, and belong to its part
/// (NodeNumbering.part). If `last` is true, all copies come after all other nodes; the old order must then have no
/// parts. The new form has no surface yet. Returns NULL if memory runs out.
Form *form_separate(const Form *form, Separation *separation, const NodeNumbering *numbering, bool last,
                    MeshOrder order_kind, Error *error);

Form *form_hold(Form *form);    // adds a reference and returns `form`; NULL is allowed
void form_release(Form *form);  // removes a reference; NULL is allowed

/// Returns the node of the scene's mesh of which `node` is a copy, or `node` itself for the scene's mesh.
static inline int form_first(const Form *form, int node) {
  return form->node_first ? form->node_first[node] : node;
}

/// form_write writes the difference between a form and the form of the scene's mesh. form_read reads this difference
/// and creates the form, with one reference and no surface. It returns NULL with an error if the bytes are invalid.
void form_write(const Form *form, FILE *file);
Form *form_read(const Form *scene, Bytes *bytes, Error *error);
