// Changes the mesh of a running session. The body is cut while it moves, or an earlier mesh replaces the present one. A
// form is the mesh of a body after some cuts (form.h). All data that depend on the mesh are updated, or are created
// again.
#pragma once
#include "scene/session.h"

// Result of a cut.
typedef struct CutReport {
  int opened;            // number of faces between two tets along which the cut separated the tets
  int copies, vanished;  // copies: number of added nodes. vanished: number of nodes without remaining tets
  double seconds;        // s, time that the cut took, until the next step can start
} CutReport;

/// Cuts the body in its present position. Each node at the cut gets a copy with its state; the copy is also pinned,
/// pulled or grabbed if the node is. If the blade crosses no face, nothing changes. On failure, for example with
/// self-contact, nothing has changed.
bool session_cut(Session *session, const Blade *blade, CutReport *report, Error *error);

/// Reserves memory for some cuts, in the present simulation and in all later simulations of the session. The cuts then
/// need not allocate memory. Fails if memory runs out.
bool session_expect_cuts(Session *session, Error *error);

/// Reserves the memory of session_expect_cuts in a simulation; if the scene has a tear_stress, also memory for tearing.
/// Does nothing if session_expect_cuts was not called.
bool session_reserve(const Session *session, Simulation *simulation, Error *error);

/// Makes the scripted cuts that are due before the next step, then removes the cells whose stress is above tear_stress.
/// Fails if the user interrupts it; the next call does the rest.
bool session_cut_by_script(Session *session, Error *error);

/// Returns the number of cells that were torn out. *mass gets their mass, kg.
int session_torn(const Session *session, double *mass);

/// Returns true if the scene has cuts or a tear_stress, or if the form was cut. The methods that the program chooses
/// must then support cuts of a running simulation (SimulationSettings.cuts).
bool session_takes_cuts(const Session *session, const Form *form);

/// Replaces the session's form, its mesh after some cuts, by an earlier form. Creates a simulation of the body at rest,
/// with the present pins. The caller must then set loads, pulls and the state.
bool session_take_form(Session *session, Form *form, Error *error);

/// Creates a simulation of a mesh. Also creates the surface of the mesh in a second thread, unless it exists.
/// `numbering` is as in simulation_create_numbered.
bool session_build(const TetMesh *mesh, Surface *surface, const NodeNumbering *numbering,
                   const SimulationSettings *settings, const uint8_t *pinned, Simulation **made, Error *error);

/// Returns the order of nodes that the session's form has for a simulation with these settings. NULL: the simulation
/// chooses the order.
const NodeNumbering *session_numbering(const Session *session, const SimulationSettings *settings);
