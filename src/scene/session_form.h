// Changing the form of a session: its body is cut while it moves, or is put back into an earlier form. Everything that
// depends on the mesh is rebuilt or updated.
#pragma once
#include "scene/session.h"

// Result of a cut.
typedef struct CutReport {
  int opened;            // number of opened faces
  int copies, vanished;  // numbers of added nodes, and of nodes without remaining tets
  double seconds;        // time until the next step can start
} CutReport;

/// Cuts the body in its present position. Nodes at the cut get copies with the same state, which are also pinned,
/// pulled or grabbed. Nothing happens if the blade meets no face. On failure, for example with self-contact, nothing
/// has changed.
bool session_cut(Session *session, const Blade *blade, CutReport *report, Error *error);

/// Reserves memory for some cuts, in the present simulation and in all later ones of the session, so that these cuts
/// need not allocate. Fails if memory runs out.
bool session_expect_cuts(Session *session, Error *error);

/// If session_expect_cuts was called, reserves this memory in a simulation, also for tears if the scene has a
/// tear_stress.
bool session_reserve(const Session *session, Simulation *simulation, Error *error);

/// Makes the scripted cuts that are due before the next step, then removes the tets above tear_stress. Fails if it is
/// interrupted; the next call does the rest.
bool session_cut_by_script(Session *session, Error *error);

/// Returns the number of tets that were torn out. *mass is their mass, kg.
int session_torn(const Session *session, double *mass);

/// Returns true if the scene has cuts or a tear_stress, or if the form was cut. The stages that the program chooses
/// must then support cuts in place (SimulationSettings.cuts).
bool session_takes_cuts(const Session *session, const Form *form);

/// Puts the session into an earlier form: creates a simulation of the body at rest, with the present pins of its nodes.
/// The caller sets loads, pulls and the state.
bool session_take_form(Session *session, Form *form, Error *error);

/// Creates a simulation of a mesh and, in a second thread, the mesh's surface unless it exists. `numbering`: see
/// simulation_create_numbered.
bool session_build(const TetMesh *mesh, Surface *surface, const NodeNumbering *numbering,
                   const SimulationSettings *settings, const uint8_t *pinned, Simulation **made, Error *error);

/// Returns the order of nodes in the session's form for a simulation with these settings; NULL: the settings decide.
const NodeNumbering *session_numbering(const Session *session, const SimulationSettings *settings);
