// A session takes another form: its body is cut while it moves, or put back to what it was before a cut. The state goes
// along; everything that follows from the mesh is made anew.
#pragma once
#include "scene/session.h"

// What a cut did.
typedef struct CutReport {
  int opened;            // faces
  int copies, vanished;  // nodes that were added, and that no tet has any more
  double seconds;        // that it took until the next step can begin
} CutReport;

/// Cuts the body where it is now. Nodes at the cut get copies, which move on as they did; pins, pulls and what else
/// holds a node hold its copies too. Nothing happens where the blade meets no face. Where it fails, as with
/// self-contact, nothing has changed.
bool session_cut(Session *session, const Blade *blade, CutReport *report, Error *error);

/// From now on its simulations are made with room for some cuts, the present one too, so that these need not make it.
/// Fails for lack of memory.
bool session_expect_cuts(Session *session, Error *error);

/// That room in a simulation of the session, where cuts are expected, or tears.
bool session_make_room(const Session *session, Simulation *simulation, Error *error);

/// Does what the scene's cuts say before the step from now on, then takes out the tets that tear. Where it is
/// interrupted it fails, and does the rest when it is called again.
bool session_cut_by_script(Session *session, Error *error);

/// The tets that have been torn out, and their mass, kg.
int session_torn(const Session *session, double *mass);

/// Whether a body in a form takes stages that go on in place where nobody named any (SimulationSettings.cuts): it is
/// cut by the script at some time, or was by hand, or has torn.
bool session_takes_cuts(const Session *session, const Form *form);

/// Puts the session into a form that it had: the body at rest, with the pins that its nodes have now. Loads, pulls and
/// the state are for the caller to set.
bool session_take_form(Session *session, Form *form, Error *error);

/// A simulation of a mesh, and beside it, in a thread of its own, the mesh's surface, unless that is there. `places`:
/// see simulation_create_placed.
bool session_build(const TetMesh *mesh, Surface *surface, const NodePlaces *places, const SimulationSettings *settings,
                   const uint8_t *pinned, Simulation **made, Error *error);

/// How nodes are kept that the form says with such settings; NULL: as they say.
const NodePlaces *session_places(const Session *session, const SimulationSettings *settings);
