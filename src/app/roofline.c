// Computes floors of the stages of a time step: lower bounds of their times (roofline.h). The floor of a piece of work
// is the larger of two times:
//   the bytes that it moves, divided by the memory bandwidth, which is measured with arrays of this size;
//   the sum of the latencies of its kernel launches, of its exchanges of packets between thread blocks, and of its
//   copies to the host, measured on an idle device.
// The floor of several pieces in sequence is the sum of their floors.
#include "app/roofline.h"

#include <math.h>
#include <stdio.h>

#include "device/ceilings.h"
#include "scene/json_file.h"

// One row of the table: a stage of the time step. For a stage with one kind of work, the values are means over its
// calls. For a stage with several kinds of work, they are sums over a time step, which then counts as one call.
typedef struct Row {
  const char *name, *key;      // name in the printed table, and in JSON
  double count;                // number of calls of the stage per step
  StageTraffic traffic;        // bytes, operations and launches of one call, on all devices
  double memory_us, start_us;  // us, to move the bytes; us, latency of launches, exchanges and copies to the host
  double floor_us;             // us, lower bound of the time; 0: unknown
  double measured_us;          // us, mean time of a call
  double row_us;  // us, mean time of calls that are repeated without other work in between; 0: not measured
} Row;

enum { ROWS_MAX = TIMED_STAGES + 2, WORKS_MAX = 5 };

// The kinds of work of each timed stage. Each list ends with STAGE_WORKS.
static const StageWork works_of[TIMED_STAGES][WORKS_MAX] = {
  [TIMED_ASSEMBLY] = { WORK_ASSEMBLY, STAGE_WORKS },
  [TIMED_VECTOR] = { WORK_VECTOR, STAGE_WORKS },
  [TIMED_PRODUCT] = { WORK_PRODUCT, STAGE_WORKS },
  [TIMED_SOLVER] = { WORK_ITERATION, STAGE_WORKS },
  [TIMED_TRANSFER] = { STAGE_WORKS },
  [TIMED_REST] = { WORK_EVALUATION, WORK_CHECK, WORK_SHIFT, WORK_STEP, STAGE_WORKS },
};

// Adds a piece of work, which one device executes `times` times, to a row: its traffic (bytes, operations, launches),
// and the lower bounds of its time. t: traffic of one execution. c: limits of the device.
static void add_work(Row *row, const StageTraffic *t, const Ceilings *c, double times) {
  const double memory_us = 1e6 * ceilings_memory_time(c, t->read, t->written);

  // `reply` is the measured time of a copy to the host, including a kernel launch. The time of this launch is
  // subtracted, because t->launches counts the launch already.
  const double start_us = 1e6 * (t->launches * c->launch + t->nodes * c->node + t->exchanges * c->exchange +
                                 t->waits * fmax(0, c->reply - c->launch));
  row->traffic.read += times * t->read;
  row->traffic.written += times * t->written;
  row->traffic.flops += times * t->flops;
  row->traffic.launches += times * t->launches;
  row->traffic.nodes += times * t->nodes;
  row->traffic.exchanges += times * t->exchanges;
  row->traffic.waits += times * t->waits;
  row->memory_us += times * memory_us;
  row->start_us += times * start_us;
  row->floor_us += times * fmax(memory_us, start_us);
}

// Returns the row of a whole time step, or of another sum of stages: the sum of rows [count], each multiplied by its
// `count`, the number of calls.
static Row sum_of(const char *name, const char *key, const Row *rows, int count) {
  Row sum = { .name = name, .key = key, .count = 1 };
  for (int k = 0; k < count; k++) {
    const Row *r = &rows[k];
    sum.traffic.read += r->count * r->traffic.read;
    sum.traffic.written += r->count * r->traffic.written;
    sum.traffic.flops += r->count * r->traffic.flops;
    sum.traffic.launches += r->count * r->traffic.launches;
    sum.traffic.nodes += r->count * r->traffic.nodes;
    sum.traffic.exchanges += r->count * r->traffic.exchanges;
    sum.traffic.waits += r->count * r->traffic.waits;
    sum.memory_us += r->count * r->memory_us;
    sum.start_us += r->count * r->start_us;
    sum.floor_us += r->count * r->floor_us;
    sum.measured_us += r->count * r->measured_us;
  }
  return sum;
}

// Returns the row of a timed stage (see Row).
static Row row_of(const Simulation *simulation, const Profile *p, TimedStage stage, const Ceilings ceilings[2]) {
  const StageWork *works = works_of[stage];
  const double steps = (double)p->steps;
  const bool alone = works[0] != STAGE_WORKS && works[1] == STAGE_WORKS;
  const double count = alone ? (double)simulation_work_count(simulation, p, works[0]) : steps;
  Row row = { .name = timed_names[stage].name, .key = timed_names[stage].key, .count = count / steps };
  for (int k = 0; works[k] != STAGE_WORKS && count > 0; k++) {
    StageTraffic on[2];
    simulation_traffic(simulation, works[k], on);
    for (int d = 0; d < 2; d++)
      add_work(&row, &on[d], &ceilings[d], (double)simulation_work_count(simulation, p, works[k]) / count);
  }
  row.measured_us = count > 0 ? 1e3 * p->ms[stage] / count : 0;
  return row;
}

static bool list_rows(Simulation *simulation, const Profile *p, const Ceilings ceilings[2], Row rows[ROWS_MAX],
                      int *row_count, Error *error) {
  int count = 0;
  for (int k = 0; k < TIMED_STAGES; k++) {
    Row row = row_of(simulation, p, (TimedStage)k, ceilings);
    if (!(row.measured_us > 0)) continue;
    if (works_of[k][0] != STAGE_WORKS && !simulation_time_in_a_row(simulation, works_of[k][0], &row.row_us, error))
      return false;
    rows[count++] = row;
  }

  const Row step = sum_of("step", "step", rows, count);

  // adds a row for a whole CG iteration after the rows of the two stages of which it consists, product and solver
  for (int k = 0; k + 1 < count; k++) {
    if (rows[k].name != timed_names[TIMED_PRODUCT].name || rows[k + 1].name != timed_names[TIMED_SOLVER].name) continue;
    Row halves[2] = { rows[k], rows[k + 1] };
    const double often = halves[0].count;
    halves[0].count = halves[1].count = 1;
    for (int m = count++; m > k + 2; m--) rows[m] = rows[m - 1];
    rows[k + 2] = sum_of("CG iteration", "cg_iteration", halves, 2);
    rows[k + 2].count = often;
  }

  rows[count++] = step;
  *row_count = count;
  return true;
}

static void print_ceilings(const Ceilings *c) {
  const MemoryRate *largest = &c->rate[c->size_count - 1];
  printf("\nLimits of %s (%s), %d %s\n", device_name(c->device), device_model(c->device), c->cores,
         c->device == DEVICE_CUDA ? "multiprocessors" : "threads");
  printf("memory                read %.1f GB/s, copy %.1f GB/s (with arrays of %.0f MB)\n", 1e-9 * largest->read,
         1e-9 * largest->copy, 1e-6 * largest->bytes);
  if (c->cache_bytes > 0)
    printf("cache of %-6.3g MB    read %.1f GB/s, copy %.1f GB/s (with arrays of half this size)\n",
           1e-6 * c->cache_bytes, 1e-9 * ceilings_read_rate(c, c->cache_bytes / 2),
           1e-9 * ceilings_copy_rate(c, c->cache_bytes / 2));
  printf("array size, MB       ");
  for (int k = c->size_count % 2 ? 0 : 1; k < c->size_count; k += 2) printf(" %7.3g", 1e-6 * c->rate[k].bytes);
  printf("\nread, GB/s           ");
  for (int k = c->size_count % 2 ? 0 : 1; k < c->size_count; k += 2) printf(" %7.1f", 1e-9 * c->rate[k].read);
  printf("\ncopy, GB/s           ");
  for (int k = c->size_count % 2 ? 0 : 1; k < c->size_count; k += 2) printf(" %7.1f", 1e-9 * c->rate[k].copy);
  printf("\n");
  for (int k = 0; k < c->thread_count; k++)
    printf("%3d thread%-11s read %.1f GB/s, copy %.1f GB/s, start of a parallel loop %.2f us\n", c->thread[k].threads,
           c->thread[k].threads == 1 ? "" : "s", 1e-9 * c->thread[k].read, 1e-9 * c->thread[k].copy,
           1e6 * c->thread[k].loop);
  if (c->device == DEVICE_CPU) return;
  printf(
      "start of a kernel     %.2f us in a stream, %.2f us in a graph, %.1f us if 4 bytes are then copied to the host\n",
      1e6 * c->launch, 1e6 * c->node, 1e6 * c->reply);
  if (c->exchange > 0)
    printf("all multiprocessors   barrier %.2f us, exchange of packets between thread blocks %.2f us\n",
           1e6 * c->grid_sync, 1e6 * c->exchange);
}

static void print_row(const Row *r) {
  char flops[24] = "-", floor_us[24] = "-", times[24] = "-", row_us[24] = "-";
  if (r->row_us > 0) snprintf(row_us, sizeof row_us, "%.2f", r->row_us);
  if (r->traffic.flops > 0) snprintf(flops, sizeof flops, "%.2f", 1e-6 * r->traffic.flops);
  if (r->floor_us > 0) {
    snprintf(floor_us, sizeof floor_us, "%.2f", r->floor_us);
    snprintf(times, sizeof times, "%.1f", r->measured_us / r->floor_us);
  }
  printf("%-20s %8.2f %9.3f %9s %10s %-7s %11.2f %7s %11s\n", r->name, r->count,
         1e-6 * (r->traffic.read + r->traffic.written), flops, floor_us,
         !(r->floor_us > 0)            ? ""
         : r->memory_us >= r->start_us ? "memory"
                                       : "latency",
         r->measured_us, times, row_us);
}

static cJSON *ceilings_json(const Ceilings *c) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "device", device_name(c->device));
  cJSON_AddStringToObject(object, "device_model", device_model(c->device));
  cJSON_AddNumberToObject(object, "cores", c->cores);
  cJSON *rates = cJSON_AddArrayToObject(object, "memory");
  for (int k = 0; k < c->size_count; k++) {
    cJSON *rate = cJSON_CreateObject();
    cJSON_AddNumberToObject(rate, "bytes", c->rate[k].bytes);
    cJSON_AddNumberToObject(rate, "read_GB_per_s", 1e-9 * c->rate[k].read);
    cJSON_AddNumberToObject(rate, "copy_GB_per_s", 1e-9 * c->rate[k].copy);
    json_append(rates, rate);
  }

  cJSON_AddNumberToObject(object, "launch_us", 1e6 * c->launch);
  if (c->device == DEVICE_CPU) {
    cJSON *threads = cJSON_AddArrayToObject(object, "threads");
    for (int k = 0; k < c->thread_count; k++) {
      cJSON *thread = cJSON_CreateObject();
      cJSON_AddNumberToObject(thread, "threads", c->thread[k].threads);
      cJSON_AddNumberToObject(thread, "read_GB_per_s", 1e-9 * c->thread[k].read);
      cJSON_AddNumberToObject(thread, "copy_GB_per_s", 1e-9 * c->thread[k].copy);
      cJSON_AddNumberToObject(thread, "loop_us", 1e6 * c->thread[k].loop);
      json_append(threads, thread);
    }
    return object;
  }

  cJSON_AddNumberToObject(object, "l2_bytes", c->cache_bytes);
  cJSON_AddNumberToObject(object, "l2_read_GB_per_s", 1e-9 * ceilings_read_rate(c, c->cache_bytes / 2));
  cJSON_AddNumberToObject(object, "l2_copy_GB_per_s", 1e-9 * ceilings_copy_rate(c, c->cache_bytes / 2));
  cJSON_AddNumberToObject(object, "graph_node_us", 1e6 * c->node);
  cJSON_AddNumberToObject(object, "reply_us", 1e6 * c->reply);
  if (c->exchange > 0) {
    cJSON_AddNumberToObject(object, "grid_sync_us", 1e6 * c->grid_sync);
    cJSON_AddNumberToObject(object, "exchange_us", 1e6 * c->exchange);
  }
  return object;
}

// Adds a number to the JSON object, or null if it is unknown.
static void add_known(cJSON *object, const char *key, double number, bool known) {
  if (known)
    cJSON_AddNumberToObject(object, key, number);
  else
    cJSON_AddNullToObject(object, key);
}

static cJSON *row_json(const Row *r) {
  const bool known = r->floor_us > 0;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "stage", r->key);
  cJSON_AddNumberToObject(object, "count_per_step", r->count);
  add_known(object, "bytes_read", r->traffic.read, known);
  add_known(object, "bytes_written", r->traffic.written, known);
  add_known(object, "flops", r->traffic.flops, r->traffic.flops > 0);
  add_known(object, "launches", r->traffic.launches, known);
  add_known(object, "graph_nodes", r->traffic.nodes, known);
  add_known(object, "exchanges", r->traffic.exchanges, known);
  add_known(object, "waits", r->traffic.waits, known);
  add_known(object, "memory_us", r->memory_us, known);
  add_known(object, "starts_us", r->start_us, known);
  add_known(object, "floor_us", r->floor_us, known);
  cJSON_AddNumberToObject(object, "measured_us", r->measured_us);
  add_known(object, "times_floor", known ? r->measured_us / r->floor_us : 0, known);
  add_known(object, "in_a_row_us", r->row_us, r->row_us > 0);
  return object;
}

// Returns true if any work of the simulation's time steps moves bytes on this device.
static bool used(const Simulation *simulation, Device device) {
  for (int work = 0; work < STAGE_WORKS; work++) {
    StageTraffic on[2];
    simulation_traffic(simulation, (StageWork)work, on);
    if (on[device].read + on[device].written > 0) return true;
  }
  return false;
}

bool roofline_measure(const Session *session, const Measurement *m, cJSON *object, Error *error) {
  Simulation *simulation = session->simulation;
  Ceilings ceilings[2] = { { .device = DEVICE_CPU }, { .device = DEVICE_CUDA } };
  Row rows[ROWS_MAX];
  cJSON *root = cJSON_AddObjectToObject(object, "roofline"), *list = cJSON_AddArrayToObject(root, "ceilings");
  for (int d = 0; d < 2; d++) {
    if (!used(simulation, (Device)d)) continue;
    if (!ceilings_measure((Device)d, &ceilings[d], error)) return false;
    print_ceilings(&ceilings[d]);
    json_append(list, ceilings_json(&ceilings[d]));
  }

  int count;
  if (!list_rows(simulation, &m->profile, ceilings, rows, &count, error)) return false;
  printf(
      "\nThe floor is the shortest time of a call that memory traffic or latency allows. The latency is the\n"
      "time of the starts of kernels and loops, of exchanges between multiprocessors, and of replies to the CPU.\n"
      "a step: calls in a time step; MB, Mflop: memory traffic and operations of a call; by: the limit that sets the "
      "floor, memory traffic or latency;\nratio: measured time / floor; in a row: time of a call, us, if calls are "
      "repeated without other work\n"
      "%-20s %8s %9s %9s %10s %-7s %11s %7s %11s\n",
      "stage", "a step", "MB", "Mflop", "floor, us", "by", "measured, us", "ratio", "in a row");
  list = cJSON_AddArrayToObject(root, "stages");
  for (int k = 0; k < count; k++) {
    print_row(&rows[k]);
    json_append(list, row_json(&rows[k]));
  }
  return true;
}
