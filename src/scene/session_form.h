// Changes the mesh of a running session: cuts and tears the body, or returns to an earlier mesh (form.h). All data that
// depend on the mesh are updated or created again.
#pragma once
#include "scene/session.h"

// Result of a cut.
typedef struct CutReport {
  int opened;            // number of faces between two tets at which the cut has separated the two tets
  int copies, vanished;  // copies: number of added nodes; vanished: number of nodes whose tets were all removed
  double seconds;        // s, duration of the cut until the next step can begin
} CutReport;

/// Fails if the session's body cannot be cut, for example because of its contact or its cells.
bool session_may_be_cut(const Session *session, Error *error);

/// Cuts the deformed body. Nodes at the cut are copied, so that both sides have their own nodes. A copy has the same
/// position, velocity, pins and pulls. If the blade crosses no face between tets, nothing changes. After a failure, for
/// example with self-contact, nothing has changed.
bool session_cut(Session *session, const Blade *blade, CutReport *report, Error *error);

/// Reserves memory for cuts in the present simulation and in all later simulations of the session: for an eighth more
/// nodes and an eighth more cells. Cuts allocate nothing until this memory is full. Fails if memory is short.
bool session_expect_cuts(Session *session, Error *error);

/// Reserves memory in `simulation` for cuts and, if the scene has a tear_stress, for tearing. Does nothing unless
/// session_expect_cuts was called before.
bool session_reserve(const Session *session, Simulation *simulation, Error *error);

/// Makes those cuts of the scene whose time has come, then removes cells whose stress exceeds tear_stress. Must be
/// called before each step. If the user interrupts it, it fails, and the next call does the rest.
bool session_cut_by_script(Session *session, Error *error);

/// Returns the number of cells that were torn out. Sets *mass to their mass, kg.
int session_torn(const Session *session, double *mass);

/// Returns true if the simulation of the mesh `form` must support cuts (SimulationSettings.cuts): `form` is a mesh
/// after a cut, or the scene has cuts or a tear_stress. Default methods are then chosen among those that support cuts.
bool session_takes_cuts(const Session *session, const Form *form);

/// Returns to a mesh from before or after a cut: `form` becomes the session's mesh again. Creates a simulation of this
/// mesh at rest, with the present pins. The caller must then set loads, pulls and state.
bool session_take_form(Session *session, Form *form, Error *error);

/// Creates a simulation of a mesh. If *surface is empty, a second thread computes the surface of the mesh at the same
/// time. numbering: order of the nodes; NULL: the simulation chooses an order.
bool session_build(const TetMesh *mesh, Surface *surface, const NodeNumbering *numbering,
                   const SimulationSettings *settings, const uint8_t *pinned, Simulation **made, Error *error);

/// Returns the order of nodes that is stored with the session's mesh, if it was made for settings->order. Otherwise
/// returns NULL, so that the simulation chooses an order.
const NodeNumbering *session_numbering(const Session *session, const SimulationSettings *settings);
