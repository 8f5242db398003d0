// A body's state on its device: everything newton/midpoint.h works on, made from a mesh and read back as double.
#pragma once
#include "mesh/tet_mesh.h"
#include "sim/newton/midpoint.h"

// A zeroed Body is empty.
typedef struct Body {
  Midpoint midpoint;                     // owns its arrays through this Body
  const MidpointOperations *operations;  // for its device and precision
  void *u_backup, *p_backup;             // [n] real on the device, for newton.h
  void *anchor_backup;                   // [node_count][2] likewise
  void *u_before, *p_before;             // [n] likewise: the state one step earlier
} Body;

/// At rest and free. `mass` [node_count] kg; `user_node` [node_count]: the user's number of each node. With `nodal_positions` the element's nodal data are positions, else displacements.
bool body_create(Body *body, Device device, Precision precision, const TetMesh *mesh, const double *mass,
                 const int *user_node, bool nodal_positions, Error *error);
void body_destroy(Body *body);
bool body_reset(Body *body, Stream stream, Error *error);

/// Which unknowns [3 * node_count] do not move, 1 or 0; and Midpoint.contact [node_count]. Both wait.
bool body_set_fixed(Body *body, const uint8_t *fixed, Stream stream, Error *error);
bool body_set_mass(Body *body, const double *mass, Stream stream, Error *error);  // [node_count] kg
bool body_set_contact(Body *body, const double *contact, Stream stream, Error *error);

/// load = force + gravity * mass. `force` [node_count][3] N, or NULL for none. Waits.
bool body_set_load(Body *body, const double (*force)[3], const double gravity[3], const double *mass, Stream stream,
                   Error *error);

/// The other way; nodes that are moved stick to the floor where they then are. Waits.
bool body_set_state(Body *body, const double (*u)[3], const double (*p)[3], Stream stream, Error *error);

/// The internal force that newton_forces left, [node_count][3] N. Waits.
bool body_force(const Body *body, double (*f)[3], Stream stream, Error *error);

/// Where nodes stick to the floor, [node_count][2] m as in Midpoint.anchor, and the other way. Both wait.
bool body_anchors(const Body *body, double (*anchor)[2], Stream stream, Error *error);
bool body_set_anchors(Body *body, const double (*anchor)[2], Stream stream, Error *error);

/// The state one step earlier, and the other way, as body_state and body_set_state. Both wait.
bool body_before(const Body *body, double (*u)[3], double (*p)[3], Stream stream, Error *error);
bool body_set_before(Body *body, const double (*u)[3], const double (*p)[3], Stream stream, Error *error);

/// Displacements and momenta, [node_count][3]; either may be NULL. Waits.
bool body_state(const Body *body, double (*u)[3], double (*p)[3], Stream stream, Error *error);

/// The same as they are stored, displacements from `origin` (Midpoint.origin); and that origin, put back. Both wait.
bool body_vectors(const Body *body, double (*u)[3], double (*p)[3], double origin[3], Stream stream, Error *error);
bool body_set_origin(Body *body, const double origin[3], Stream stream, Error *error);

/// The displacements that Newton ended with, [node_count][3] m, converged or not, from Midpoint.origin. Waits.
bool body_iterate(const Body *body, double (*u)[3], Stream stream, Error *error);
