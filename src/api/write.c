// Writes a scene file for a sim. A simulation of this scene starts from the sim's present state.
#include <math.h>
#include <string.h>

#include "api/sim.h"
#include "scene/scene_save.h"

// pliant_obstacle_to has moved an obstacle of the sim. Gives the scene's obstacle a motion from its original position
// at time 0 to the sim's present position and orientation at `time`, s. now: the sim's copy of this obstacle.
static void end_at(Obstacle *obstacle, Obstacle now, double time) {
  Spin *spin = &obstacle->motion.spin;
  obstacle->motion = (RigidMotion){ .point_count = 2, .path = { { 0 }, { time } } };
  obstacle_place(&now, time);
  for (int i = 0; i < 3; i++) obstacle->motion.path[1][1 + i] = now.centre[i] - obstacle->centre[i];
  const double degrees = rotation_between((const double(*)[3])obstacle->axis, (const double(*)[3])now.axis, spin->axis);
  if (!(degrees > 0)) return;
  memcpy(spin->given, spin->axis, sizeof spin->given);
  memcpy(spin->about, obstacle->centre, sizeof spin->about);
  spin->angle_count = 2;
  spin->angles[1][0] = time;
  spin->angles[1][1] = degrees;
}

int pliant_write(pliant_sim *sim, const char *path) {
  API_SIM_CHANGE(sim);
  if (api_need(sim, "sim") || api_need(path, "path")) return PLIANT_BAD_ARGUMENT;
  Scene *scene = &sim->session.scene;
  const Simulation *simulation = sim->session.simulation;
  const SimulationSettings *now = simulation_settings(simulation);
  const double time = simulation_time(simulation);
  GivenMeshes meshes = { sim->scene->mesh, sim->scene->mesh_count };

  // scene_save writes the session's scene. Therefore the caller's meshes, and motions of the obstacles that the caller
  // has moved, are added to this scene, and removed again after the call of scene_save.
  Obstacle before[OBSTACLES_MAX];
  memcpy(before, scene->simulation.obstacles, sizeof before);
  for (int k = 0; k < now->obstacle_count && time > 0; k++)
    if (memcmp(&before[k].motion, &now->obstacles[k].motion, sizeof before[k].motion) != 0)
      end_at(&scene->simulation.obstacles[k], now->obstacles[k], time);
  scene->given_meshes = &meshes;
  if (scene_save_check(path, &error)) scene_save(&sim->session, scene, path, &error);
  scene->given_meshes = NULL;
  memcpy(scene->simulation.obstacles, before, sizeof before);
  return api_sim_result(sim, &error, PLIANT_BAD_FILE);
}
