// Data that several observables need: see observed_data.h.
#include "scene/observed_data.h"

#include <stdlib.h>

#include "base/array.h"

void observed_begin(Observed *o, Session *session, const StepReport *report) {
  *o = (Observed){ .session = session, .report = report, .time = simulation_time(session->simulation) };
}

bool observed_need_energy(Observed *o, Error *error) {
  if (!o->has_energy && !simulation_energy(o->session->simulation, &o->energy, error)) return false;
  return o->has_energy = true;
}

bool observed_need_positions(Observed *o, Error *error) {
  if (o->x) return true;
  o->x = array_new(o->session->mesh.node_count, sizeof *o->x, "positions", error);
  return o->x && simulation_state(o->session->simulation, o->x, NULL, error);
}

bool observed_need_reactions(Observed *o, Error *error) {
  return o->reactions.force || simulation_reactions(o->session->simulation, &o->reactions, error);
}

bool observed_need_contacts(Observed *o, Error *error) {
  if (!o->has_contacts && !contact_of_bodies(o->session->simulation, &o->contacts, &o->contact_count, error))
    return false;
  return o->has_contacts = true;
}

bool observed_need_loads(Observed *o, Error *error) {
  const int nodes = o->session->mesh.node_count;
  if (o->push) return true;
  o->load = array_new(nodes, sizeof *o->load, "contact forces", error);
  o->push = o->load ? array_new(nodes, sizeof *o->push, "contact forces", error) : NULL;
  return o->push && contact_loads_on_nodes(o->session->simulation, o->load, o->push, error);
}

void observed_end(Observed *o) {
  free(o->x);
  free(o->contacts);
  free(o->load);
  free(o->push);
  reactions_destroy(&o->reactions);
  *o = (Observed){ 0 };
}
