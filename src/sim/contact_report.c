// What bodies that touch do to each other: see contact_report.h.
#include "sim/contact_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/contact/contact_cuda.h"
#include "sim/simulation_parts.h"

// fills w->contact with what touches now: its forces, touches and what slid in the last step
static bool look(Simulation *w, Error *error) {
  const int nodes = w->space.node_count, all = w->contact->skin.node_count;
  double(*x)[3] = array_new(all, sizeof *x, "positions", error);
  bool ok = x && w->arrays->displacements(w->motion, x, simulation_stream(w), error);
  for (int a = 0; ok && a < nodes; a++)
    for (int i = 0; i < 3; i++) x[a][i] += w->space.X[a][i];
  if (ok) contact_place_rigid(w->contact, NULL, x);
#ifdef PLIANT_CUDA
  ok =
      ok && (!w->contact->cuda || contact_cuda_tell_sliding(w->contact->cuda, w->contact, simulation_stream(w), error));
#endif
  ok = ok && contact_settle(w->contact, (const double(*)[3])x, error) &&
       contact_forces(w->contact, (const double(*)[3])x, error);
  if (ok) memcpy(w->contact->to, x, sizeof *x * (size_t)all);
  free(x);
  return ok;
}

void contact_name_obstacle(int number, char name[CONTACT_NAME]) {
  snprintf(name, CONTACT_NAME, "obstacle %d", -number);
  if (number == CONTACT_BALL) snprintf(name, CONTACT_NAME, "the pushing ball");
}

// a table with a row for each body, and columns for bodies, obstacles, and the ball
static int64_t columns(const Simulation *w) {
  return w->body_count + w->settings.obstacle_count + 1;
}

// the row of a node's body, or the column of its obstacle
static int place_of(const Simulation *w, int node) {
  if (node < w->space.node_count) return w->space.body ? w->space.body[node] : 0;
  int k = 0;
  while (k < w->settings.obstacle_count && node - w->space.node_count >= w->rigid.first_node[k + 1]) k++;
  return w->body_count + k;
}

// the entry of what a pair's primitives belong to; `sign`: 1 where the first primitive is of its first body
static BodyContact *entry(const Simulation *w, BodyContact *all, int first, int second, double *sign) {
  const int a = place_of(w, first), b = place_of(w, second);
  *sign = a < b ? 1 : a > b ? -1 : 0;
  return &all[(a < b ? a : b) * columns(w) + (a < b ? b : a)];
}

// what touches by self-contact
static bool add_surfaces(Simulation *w, BodyContact *all, Error *error) {
  if (!w->contact) return true;
  if (!look(w, error)) return false;
  const Contact *c = w->contact;
  double sign;
  for (int64_t k = 0; k < c->now.count; k++) {
    const Touch *t = &c->now.touch[k];
    BodyContact *pair = entry(w, all, t->node[0], t->node[3], &sign);
    pair->touching++;
    pair->push += t->push;
    // the weights of a pair's first primitive add up to 1
    for (int i = 0; i < 3; i++) pair->force[i] += sign * t->push * t->n[i];
  }
  for (int64_t k = 0; k < c->sliding_count; k++) {
    const Sliding *s = &c->sliding[k];
    BodyContact *pair = entry(w, all, s->node[0], s->node[3], &sign);
    double friction[3];
    contact_friction(c, s, (const double(*)[3])c->to, friction);
    for (int i = 0; i < 3; i++) pair->force[i] += sign * friction[i];
  }
  return true;
}

bool contact_of_bodies(Simulation *w, BodyContact **list, int *count, Error *error) {
  const int64_t bodies = w->body_count, places = bodies * columns(w);
  *list = NULL, *count = 0;
  if (!w->contact) return true;
  BodyContact *all = array_new(places, sizeof *all, "pairs of bodies", error);
  if (!all || !add_surfaces(w, all, error)) return free(all), false;
  for (int64_t k = 0; k < places; k++) {
    if (all[k].touching == 0) continue;
    const int second = (int)(k % columns(w)), obstacle = second - w->body_count;
    all[k].body[0] = (int)(k / columns(w));
    all[k].body[1] = obstacle < 0 ? second : obstacle < w->settings.obstacle_count ? -1 - obstacle : CONTACT_BALL;
    all[(*count)++] = all[k];
  }
  *list = all;
  if (*count == 0) free(all), *list = NULL;
  return true;
}

bool contact_forces_on_nodes(Simulation *w, double (*force)[3], Error *error) {
  memset(force, 0, sizeof *force * (size_t)w->space.node_count);
  if (!w->contact) return true;
  if (!look(w, error)) return false;
  const Contact *c = w->contact;
  for (int k = 0; k < c->skin.vertex_count && c->skin.vertex[k] < c->skin.body_nodes; k++)
    memcpy(force[w->user_node[c->skin.vertex[k]]], c->force[c->skin.vertex[k]], sizeof *force);
  return true;
}

bool contact_pressure(Simulation *w, double *pressure, Error *error) {
  memset(pressure, 0, sizeof *pressure * (size_t)w->space.node_count);
  if (!w->contact) return true;
  double(*push)[3] = array_new(w->contact->skin.node_count, sizeof *push, "pressures", error);
  const bool ok = push && look(w, error);
  const Contact *c = w->contact;
  for (int64_t k = 0; ok && k < c->now.count; k++) {
    const Touch *t = &c->now.touch[k];
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) push[t->node[j]][i] += t->force[j][i];
  }
  for (int k = 0; ok && k < c->skin.vertex_count && c->skin.vertex[k] < c->skin.body_nodes; k++) {
    const int a = c->skin.vertex[k];
    pressure[w->user_node[a]] = sqrt(dot3(push[a], push[a])) / c->skin.vertex_area[k];
  }
  free(push);
  return ok;
}

bool contact_write_vectors(Simulation *w, float *vectors, Error *error) {
  const int nodes = w->space.node_count;
  double(*force)[3] = array_new(nodes, sizeof *force, "forces", error);
  float(*rounded)[3] = array_new(nodes, sizeof *rounded, "forces", error);
  bool ok = force && rounded && contact_forces_on_nodes(w, force, error);
  for (int a = 0; ok && a < nodes; a++)
    for (int i = 0; i < 3; i++) rounded[a][i] = (float)force[a][i];
  ok = ok && device_upload(simulation_stream(w), vectors, rounded, sizeof *rounded * (size_t)nodes, error) &&
       stream_sync(simulation_stream(w), error);
  free(force), free(rounded);
  return ok;
}

bool contact_write_pressure(Simulation *w, float *values, Error *error) {
  const int nodes = w->space.node_count;
  double *pressure = array_new(nodes, sizeof *pressure, "pressures", error), sum = 0, sum2 = 0;
  float *all = array_new((int64_t)nodes + FIELD_EXTRA, sizeof *all, "pressures", error);
  float *extra = all ? all + nodes : NULL;
  bool ok = pressure && all && contact_pressure(w, pressure, error);
  if (ok) extra[FIELD_SMALLEST] = extra[FIELD_LARGEST] = (float)pressure[0];
  for (int a = 0; ok && a < nodes; a++) {
    all[a] = (float)pressure[a];
    extra[FIELD_SMALLEST] = fminf(extra[FIELD_SMALLEST], all[a]);
    extra[FIELD_LARGEST] = fmaxf(extra[FIELD_LARGEST], all[a]);
    sum += pressure[a], sum2 += pressure[a] * pressure[a];
  }
  if (ok) {
    extra[FIELD_MEAN] = (float)(sum / nodes);
    extra[FIELD_SPREAD] = (float)sqrt(fmax(0, sum2 / nodes - sum / nodes * (sum / nodes)));
  }
  ok = ok && device_upload(simulation_stream(w), values, all, sizeof *all * ((size_t)nodes + FIELD_EXTRA), error) &&
       stream_sync(simulation_stream(w), error);
  free(pressure), free(all);
  return ok;
}
