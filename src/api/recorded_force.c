// Forces that a caller's work on the GPU computes before each step: pliant_record_force. The work is recorded once as a
// CUDA graph, so that the host does not run the caller's code in each step. A second graph contains this work and the
// library's work before and after it. It is the prelude of each step (simulation_set_prelude).
#include "api/sim.h"

// Arguments of queue_work.
typedef struct Task {
  const RecordedForce *recorded;
  pliant_force_function queue;
  void *user;
} Task;

static bool queue_work(void *task, Stream stream, Error *error) {
  const Task *t = task;
  const RecordedForce *r = t->recorded;
  return t->queue(t->user, r->x->data, r->force->data, r->nodes, stream.handle) == 0 ||
         error_set(error, "the function that queues the computation of forces has failed");
}

static bool queue_positions(void *of, Stream stream, Error *error) {
  const pliant_sim *sim = of;
  (void)stream;  // the simulation uses this stream
  return simulation_write_positions(sim->session.simulation, sim->recorded.x->data, error);
}

static bool queue_forces(void *of, Stream stream, Error *error) {
  pliant_sim *sim = of;
  (void)stream;
  return session_give_forces_there(&sim->session, sim->recorded.force->data, PRECISION_F32, error);
}

// Records the caller's work. Calls the caller's function twice. The first call runs its work directly, because
// libraries allocate memory and compile kernels in a first call, which is not possible during a recording.
static bool record_work(RecordedForce *r, Task *task, Stream stream, Error *error) {
  GraphChain *chain = &r->work.chain;
  if (!queue_work(task, stream, error)) return false;
  if (!stream_sync(stream, error)) return false;
  if (!graph_create(&r->work, error)) return false;
  if (!graph_record(chain, stream, queue_work, task, error)) return false;
  return chain->last || error_set(error, "the function has queued no work in the given stream");
}

// Records the graph that runs before each step. The simulation must already have forces of session_give_forces_there,
// because the first of them need other work.
static bool record_whole(pliant_sim *sim, Stream stream, Error *error) {
  RecordedForce *r = &sim->recorded;
  GraphChain *chain = &r->whole.chain;
  graph_destroy(&r->whole);
  r->replaced = sim->session.replaced;
  if (!graph_create(&r->whole, error)) return false;
  if (!graph_record(chain, stream, queue_positions, sim, error)) return false;
  if (!graph_append(chain, &r->work.chain, error)) return false;
  if (!graph_record(chain, stream, queue_forces, sim, error)) return false;
  return graph_finish(&r->whole, stream, error);
}

void api_delete_recorded_force(pliant_sim *sim) {
  if (sim->session.simulation) simulation_set_prelude(sim->session.simulation, NULL);
  graph_destroy(&sim->recorded.work);
  graph_destroy(&sim->recorded.whole);
}

bool api_prepare_recorded_force(pliant_sim *sim, Error *error) {
  const RecordedForce *r = &sim->recorded;
  Simulation *simulation = sim->session.simulation;
  const Stream stream = simulation_stream(simulation);
  if (!r->work.chain.last) return true;
  if (pliant_sim_device(sim) != r->gpu || sim->session.mesh.node_count != r->nodes)
    return error_set(error,
                     "the recorded computation of forces cannot be used, because the sim %s; call pliant_record_force "
                     "again",
                     pliant_sim_device(sim) != r->gpu ? "is now on another device" : "has another number of nodes");
  if (!simulation_has_given_load(simulation) && !queue_forces(sim, stream, error)) return false;
  if (r->whole.executable && r->replaced == sim->session.replaced) return true;
  simulation_set_prelude(simulation, NULL);
  if (!record_whole(sim, stream, error)) return false;
  simulation_set_prelude(simulation, &r->whole);
  return true;
}

bool api_queue_recorded_force(pliant_sim *sim, Error *error) {
  const Graph *whole = &sim->recorded.whole;
  return !whole->executable || graph_launch(whole, simulation_stream(sim->session.simulation), error);
}

int pliant_record_force(pliant_sim *sim, pliant_force_function queue, void *user) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim")) return PLIANT_BAD_ARGUMENT;
  RecordedForce *r = &sim->recorded;
  const Stream stream = simulation_stream(sim->session.simulation);
  if (queue && stream.device != DEVICE_CUDA)
    return api_fail(PLIANT_BAD_ARGUMENT,
                    "the sim is on the CPU; compute forces before each step, and set them by pliant_put");
  if (r->work.chain.last && !session_give_forces(&sim->session, NULL, &error))
    return api_sim_result(sim, &error, PLIANT_NO_MEMORY);
  api_delete_recorded_force(sim);
  api_sim_changed(sim);
  if (!queue) return PLIANT_OK;

  Task task = { .recorded = r, .queue = queue, .user = user };
  const size_t bytes = sizeof(float[3]) * (size_t)sim->session.mesh.node_count;
  r->nodes = sim->session.mesh.node_count;
  r->gpu = pliant_sim_device(sim);
  if (!session_give_forces(&sim->session, NULL, &error) || !api_reserve(sim, &r->x, DEVICE_CUDA, bytes, &error) ||
      !api_reserve(sim, &r->force, DEVICE_CUDA, bytes, &error) || !queue_positions(sim, stream, &error) ||
      !record_work(r, &task, stream, &error))
    api_delete_recorded_force(sim);
  return api_sim_result(sim, &error, PLIANT_BAD_ARGUMENT);
}
