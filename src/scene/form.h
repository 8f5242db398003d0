// What a body's mesh is at a time: as the scene has it, or taken apart by cuts since. A form never changes. Several
// hold it: the session that is in it, moments of the past, the window that still draws it; the last one to let go of it
// frees it.
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
  int *node_first;       // [node_count], the node of the scene's mesh that each was; NULL: the mesh is the scene's
  int *tet_first;        // [tet_count], likewise; NULL: all tets are there
  NodePlaces places;     // how simulations keep its nodes where settings ask for `order_kind`; of the scene's mesh any
  MeshOrder order_kind;  // that their order follows from
  size_t bytes;          // it takes
  atomic_int holders;
} Form;

/// The form of a scene's mesh, which it takes with its surface, held once. NULL for lack of memory: then they stay.
Form *form_create(TetMesh *mesh, Surface *surface, Error *error);

/// The form of what another one was taken apart into, held once; what `separation` has is taken, its node_from stays.
/// Copies of a node are kept behind it, in its part, as `places` says of the old form; or if `last`, which takes no
/// parts, behind all others. Its surface is still to be made.
Form *form_separate(const Form *form, Separation *separation, const NodePlaces *places, bool last, MeshOrder order_kind,
                    Error *error);

Form *form_hold(Form *form);    // returns it; takes NULL
void form_release(Form *form);  // takes NULL

/// The node of the scene's mesh that a node was.
static inline int form_first(const Form *form, int node) {
  return form->node_first ? form->node_first[node] : node;
}

/// Writes how a form differs from the scene's own, and reads that again, held once, without its surface.
void form_write(const Form *form, FILE *file);
Form *form_read(const Form *scene, Bytes *bytes, Error *error);
