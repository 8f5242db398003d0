// Measures the times of a simulation's stages, estimates their memory traffic, and reports sizes (simulation.h).
#include "sim/settings.h"
#include "sim/simulation_parts.h"

bool simulation_profile_start(Simulation *w, Error *error) {
  w->profile = (Profile){ 0 };
  w->assemblies_before = w->newton.assemblies;
  w->vectors_before = w->newton.vectors;
  if (w->contact) {
    contact_searches(w->contact, &w->searches_before, &w->search_s_before);
    w->contact->timed = true;
  }
  return stage_clock_start(&w->clock, error);
}

void simulation_carry_profile(Simulation *w, Simulation *old) {
  stage_clock_destroy(&w->clock);
  w->clock = old->clock;
  old->clock = (StageClock){ 0 };
  w->profile = old->profile;
  w->assemblies_before = w->newton.assemblies - (old->newton.assemblies - old->assemblies_before);
  w->vectors_before = w->newton.vectors - (old->newton.vectors - old->vectors_before);
  w->searches_before = old->searches_before;
  w->search_s_before = old->search_s_before;
  if (w->contact) {
    contact_add_searches(w->contact, old->contact);
    w->contact->timed = w->clock.running;
  }
}

bool simulation_time_in_a_row(Simulation *w, StageWork work, double *each_us, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const bool with_matrix = work == WORK_ASSEMBLY, product = work == WORK_PRODUCT;
  const SolverSystem *system = &w->solver.system;
  const Stream stream = product ? w->newton.solver_stream : w->newton.assembly_stream;
  const bool slow = stream.device == DEVICE_CPU;
  const int warm = slow ? 1 : 5, timed = slow ? 5 : 50;
  AssemblyParameters parameters = { .vector_scale = w->settings.dt / 2, .matrix_scale = w->settings.dt / 4 };
  Event first = { 0 }, last = { 0 };
  double elapsed_ms = 0;
  *each_us = 0;
  if (!product && !(with_matrix && operator_stores(&w->A)) && work != WORK_VECTOR) return true;
  settings_material(&w->settings, parameters.material);

  bool ok = event_create(stream.device, &first, error) && event_create(stream.device, &last, error);
  for (int k = 0; ok && k < warm + timed; k++) {
    if (k == warm) ok = event_record(&first, stream, error);

    // A product overwrites system->x, the solution of the last linear system; each solve sets it anew.
    ok = ok && (product ? operator_apply(&w->A, system->b, system->x, NULL, stream, error)
                        : assembly_run(&w->assembly, &parameters, w->newton.nodal.to, w->newton.internal.from,
                                       with_matrix ? w->newton.values.from : NULL, stream, error));
  }

  ok = ok && event_record(&last, stream, error) && stream_sync(stream, error) &&
       event_elapsed(&first, &last, &elapsed_ms, error);
  *each_us = 1e3 * elapsed_ms / timed;
  event_destroy(&first);
  event_destroy(&last);
  return ok;
}

void simulation_profile_stop(Simulation *w, Profile *profile) {
  w->clock.running = false;
  *profile = w->profile;
  profile->assemblies = w->newton.assemblies - w->assemblies_before;
  profile->vectors = w->newton.vectors - w->vectors_before;
  if (w->contact) {
    double search_s;
    contact_searches(w->contact, &profile->searches, &search_s);
    w->contact->timed = false;
    profile->searches -= w->searches_before;
    stage_clock_contact(&w->clock, 1e3 * (search_s - w->search_s_before), profile->contact_ms);
  }
  profile->total_ms = stage_clock_shares(&w->clock, profile->ms);
}

static void add_traffic(StageTraffic *sum, const StageTraffic *more) {
  sum->read += more->read;
  sum->written += more->written;
  sum->flops += more->flops;
  sum->launches += more->launches;
  sum->nodes += more->nodes;
  sum->exchanges += more->exchanges;
  sum->waits += more->waits;
}

void simulation_traffic(const Simulation *w, StageWork work, StageTraffic on[2]) {
  const Stage *const stages[] = { &w->loops->stage, &w->assembly.method->stage, &w->A.method->stage,
                                  &w->solver.method->stage };
  on[DEVICE_CPU] = on[DEVICE_CUDA] = (StageTraffic){ 0 };
  for (int k = 0; k < 4; k++) {
    // If the operator stores no matrix, the assembly computes only the force vector.
    const bool vector = work == WORK_ASSEMBLY && stages[k]->kind == STAGE_ASSEMBLY && !operator_stores(&w->A);

    // Products with the matrix read no memory if the solver holds the matrix in registers.
    const bool held = w->solver.method->holds && w->solver.method->holds(&w->solver);
    if (work == WORK_PRODUCT && stages[k]->kind == STAGE_OPERATOR && held) continue;
    if (work == WORK_ITERATION && stages[k]->kind == STAGE_SOLVER && w->solver.method->traffic) {
      w->solver.method->traffic(&w->solver, on);
      continue;
    }
    const StageBytes bytes = stages[k]->bytes(stages[k], &w->size);
    add_traffic(&on[stages[k]->device], &bytes.work[vector ? WORK_VECTOR : work]);
  }
}

int64_t simulation_work_count(const Simulation *w, const Profile *p, StageWork work) {
  switch (work) {
    case WORK_ASSEMBLY:
    case WORK_SHIFT:
      return p->assemblies;
    case WORK_VECTOR:
      return p->vectors;
    case WORK_PRODUCT:
    case WORK_ITERATION:
      return p->cg_iterations;
    case WORK_EVALUATION:  // one for each assembled vector, and one at the start of each step
      return p->vectors + p->steps;
    case WORK_CHECK:
      return w->settings.newton == NEWTON_ROBUST ? p->vectors + p->steps : 0;
    case WORK_STEP:
      return p->steps;
    case STAGE_WORKS:
      break;
  }
  return 0;
}

SimulationSize simulation_size(const Simulation *w) {
  const int64_t entries = w->space.node_dof * w->space.node_dof;
  if (w->halo)
    return (SimulationSize){ .dof = 3 * (int64_t)w->user_count,
                             .nnz = entries * w->halo->pairs,
                             .slots = entries * w->halo->pairs };
  return (SimulationSize){ .dof = w->A.n,
                           .nnz = entries * space_pairs(&w->space),
                           .slots = w->A.value_count,
                           .parts = w->assembly.parts.count,
                           .part_tets = w->assembly.parts.tets,
                           .part_nodes = w->assembly.parts.nodes,
                           .chunks = w->assembly.chunk_count };
}
