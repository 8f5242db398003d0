// Runs a scene and measures the times of its steps and their stages: see measure.h.
#include "app/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/sort.h"
#include "base/timer.h"
#include "device/waits.h"

// Results that are collected over several runs. The stages are not timed in these runs.
typedef struct Runs {
  double longest;  // s, duration of the longest time step
  int64_t waits;   // number of times that the host waited for a GPU
} Runs;

// Takes `steps` time steps from rest. *seconds receives the duration of all steps together. Adds the number of waits
// for the GPU to runs->waits, and updates runs->longest.
static bool run_from_rest(Session *session, int steps, double *seconds, Runs *runs, Error *error) {
  StepReport report;
  if (!session_reset(session, error) || !stream_sync(simulation_stream(session->simulation), error)) return false;
  const int64_t waits = device_waits();
  const double start = timer_seconds();
  for (int k = 0; k < steps; k++) {
    const double begin = timer_seconds();
    if (!interrupt_check(error) || !session_step(session, &report, error)) return false;
    runs->longest = fmax(runs->longest, timer_seconds() - begin);
  }
  runs->waits += device_waits() - waits;
  if (!stream_sync(simulation_stream(session->simulation), error)) return false;
  *seconds = timer_seconds() - start;
  return true;
}

// Returns the mean time of a call in us, if `count` calls took `ms` in total. Returns 0 if there was no call.
static double each_us(double ms, int64_t count) {
  return count ? 1e3 * ms / (double)count : 0;
}

bool measure_session(Session *session, int steps, int repeat, Measurement *m, Error *error) {
  *m = (Measurement){ .settings = *simulation_settings(session->simulation),
                      .size = simulation_size(session->simulation),
                      .nodes = session->mesh.node_count,
                      .tets = session->mesh.tet_count,
                      .cells = mesh_cell_word(&session->mesh),
                      .steps = steps,
                      .repeat = repeat };
  snprintf(m->assembly_reason, sizeof m->assembly_reason, "%s", simulation_reason(session->simulation, STAGE_ASSEMBLY));
  snprintf(m->solver_reason, sizeof m->solver_reason, "%s", simulation_reason(session->simulation, STAGE_SOLVER));
  if (repeat == 0) return true;
  double *seconds = array_new(repeat, sizeof *seconds, "times", error), ignored;
  Runs runs = { 0 }, other = { 0 };
  bool ok = seconds;
  for (int k = 0; ok && k < repeat; k++) ok = run_from_rest(session, steps, &seconds[k], &runs, error);
  ok = ok && simulation_profile_start(session->simulation, error) &&
       run_from_rest(session, steps, &ignored, &other, error);
  if (ok) simulation_profile_stop(session->simulation, &m->profile);
  if (ok) {
    const Profile *p = &m->profile;
    m->median_ms = 1e3 * sort_median(seconds, repeat) / steps;
    m->longest_step_ms = 1e3 * runs.longest;
    m->waits_per_step = (double)runs.waits / ((double)repeat * steps);
    m->fastest_ms = 1e3 * seconds[0] / steps;
    m->slowest_ms = 1e3 * seconds[repeat - 1] / steps;
    m->assembly_us = each_us(p->ms[TIMED_ASSEMBLY], p->assemblies);
    m->vector_us = each_us(p->ms[TIMED_VECTOR], p->vectors);
    m->product_us = each_us(p->ms[TIMED_PRODUCT], p->cg_iterations);
    m->cg_us = each_us(p->ms[TIMED_PRODUCT] + p->ms[TIMED_SOLVER], p->cg_iterations);
  }

  free(seconds);
  return ok;
}

void measurement_add_json(const Measurement *m, cJSON *object) {
  static const char *const orders[] = { "metis", "file", "rcm", "morton", "bisection" };
  const SimulationSettings *s = &m->settings;
  const Profile *p = &m->profile;
  cJSON_AddStringToObject(object, "device", device_name(s->device));
  cJSON_AddStringToObject(object, "device_model", device_model(s->device));
  cJSON_AddStringToObject(object, "solver_device", device_name(simulation_solver_device(s)));
  cJSON_AddStringToObject(object, "precision", precision_name(s->precision));
  cJSON_AddStringToObject(object, "assembly", s->assembly);
  cJSON_AddStringToObject(object, "matrix", s->matrix);
  cJSON_AddStringToObject(object, "solver", s->solver);
  cJSON_AddStringToObject(object, "assembly_reason", m->assembly_reason);
  cJSON_AddStringToObject(object, "solver_reason", m->solver_reason);
  cJSON_AddStringToObject(object, "order", orders[mesh_order_chosen(s->order, m->nodes, s->degree)]);
  cJSON_AddStringToObject(object, "supplemental", s->supplemental == SUPPLEMENTAL_QR ? "qr" : "full");
  cJSON_AddStringToObject(object, "newton", s->newton == NEWTON_PLAIN ? "plain" : "robust");
  cJSON_AddNumberToObject(object, "degree", s->degree);
  cJSON_AddNumberToObject(object, "nodes", m->nodes);
  cJSON_AddNumberToObject(object, "tets", m->tets);
  cJSON_AddNumberToObject(object, "unknowns", (double)m->size.dof);
  cJSON_AddNumberToObject(object, "nonzeros", (double)m->size.nnz);
  cJSON_AddNumberToObject(object, "slots", (double)m->size.slots);
  if (m->size.parts) {
    cJSON_AddStringToObject(object, "partitioner", s->partitioner == PARTITION_METIS ? "metis" : "greedy");
    cJSON_AddNumberToObject(object, "parts", (double)m->size.parts);
    cJSON_AddNumberToObject(object, "part_tets", (double)m->size.part_tets);
    cJSON_AddNumberToObject(object, "part_nodes", (double)m->size.part_nodes);
  }

  if (m->size.chunks) {
    cJSON_AddNumberToObject(object, "memory_budget_MB", s->memory_budget);
    cJSON_AddNumberToObject(object, "chunks", (double)m->size.chunks);
  }
  cJSON_AddNumberToObject(object, "dt_s", s->dt);
  cJSON_AddNumberToObject(object, "steps", m->steps);
  cJSON_AddNumberToObject(object, "repeat", m->repeat);
  if (m->repeat == 0) return;
  cJSON_AddNumberToObject(object, "newton_iterations", (double)p->newton_iterations);
  cJSON_AddNumberToObject(object, "cg_iterations", (double)p->cg_iterations);

  cJSON *times = cJSON_AddObjectToObject(object, "ms_per_step");
  for (int k = 0; k < TIMED_STAGES; k++)
    cJSON_AddNumberToObject(times, timed_names[k].key, p->ms[k] / (double)p->steps);
  if (s->self_contact) {
    cJSON *contact = cJSON_AddObjectToObject(times, "rest_by_contact");
    for (int k = 0; k < TIMED_CONTACTS; k++)
      cJSON_AddNumberToObject(contact, timed_contact_names[k].key, p->contact_ms[k] / (double)p->steps);
    cJSON_AddNumberToObject(object, "pair_searches", (double)p->searches);
  }

  cJSON_AddNumberToObject(times, "total_stages_timed", p->total_ms / (double)p->steps);
  cJSON_AddNumberToObject(times, "total_median", m->median_ms);
  cJSON_AddNumberToObject(times, "total_fastest", m->fastest_ms);
  cJSON_AddNumberToObject(times, "total_slowest", m->slowest_ms);
  cJSON_AddNumberToObject(times, "longest_step", m->longest_step_ms);
  cJSON_AddNumberToObject(object, "steps_per_s", 1e3 / m->median_ms);
  cJSON_AddNumberToObject(object, "waits_per_step", m->waits_per_step);
  cJSON_AddNumberToObject(object, "assembly_us", m->assembly_us);
  cJSON_AddNumberToObject(object, "vector_alone_us", m->vector_us);
  cJSON_AddNumberToObject(object, "spmv_us", m->product_us);
  cJSON_AddNumberToObject(object, "cg_iteration_us", m->cg_us);
}
