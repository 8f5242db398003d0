"""An environment for reinforcement learning: a finger pushes a soft ball to a target (needs gymnasium). Copies of the
environment take steps together by pliant.step_many: on CPU threads, or all on one GPU.

usage: finger_env.py [DEVICE [COPIES]]     DEVICE: cpu (default) or cuda
"""
import sys

import gymnasium
import numpy
import pliant


def make_scene(device="cpu"):
    """Returns a scene with a soft ball on a floor, and a finger: a rigid obstacle in the shape of a capsule. On a GPU,
    floor and finger push only the nodes of the ball, not its faces, since the solver "block" does not support
    self-contact."""
    on_gpu = {"solver": "block", "assembly": "globalnz", "self_contact": False}
    choice = on_gpu if device == "cuda" else {"self_contact": True}
    scene = pliant.Scene(young=2e4, gravity=[0, 0, -9.81], floor=0, friction=0.5, device=device, **choice)
    scene.add("bodies", {"shape": {"kind": "sphere", "size": [0.2, 0.2, 0.2], "cells": 2}, "place": [0, 0, 0.105]})
    scene.add("obstacles", {"kind": "capsule", "from": [-0.2, 0, 0.08], "to": [-0.2, 0, 0.3], "radius": 0.02})
    return scene


class FingerEnv(gymnasium.Env):
    """Observation: positions x, y of finger, ball and target, m. Action: velocity of the finger, m/s. Reward: minus the
    distance of ball and target, m."""
    observation_space = gymnasium.spaces.Box(-2, 2, (6,), numpy.float64)
    action_space = gymnasium.spaces.Box(-0.5, 0.5, (2,), numpy.float64)

    def __init__(self, sim=None):
        self.sim = sim or make_scene().simulate()
        self.start = self.sim.save()
        self.mass = self.sim.field("masses").copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sim.load(self.start)
        self.finger = numpy.array([-0.2, 0.0, 0.19])
        self.target = self.np_random.uniform(0.1, 0.3, 2)
        return self.observe(), {}

    def observe(self):
        ball = self.mass @ self.sim.positions[:, :2] / self.mass.sum()
        return numpy.concatenate([self.finger[:2], ball, self.target])

    def act(self, action):
        """Sets the motion of the finger during the next time step, which the caller must then take. action: velocity
        (x, y) of the finger, m/s."""
        self.finger[:2] += numpy.clip(action, -0.5, 0.5) / 60
        self.sim.move_obstacle(0, self.finger)

    def result(self):
        observation = self.observe()
        distance = numpy.linalg.norm(observation[2:4] - self.target)
        return observation, -distance, bool(distance < 0.02), False, {}

    def step(self, action):
        self.act(action)
        self.sim.step()
        return self.result()


if __name__ == "__main__":
    device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    copies = int(sys.argv[2]) if len(sys.argv) > 2 else 16
    first = make_scene(device).simulate()
    envs = [FingerEnv(sim) for sim in [first] + first.clone(copies - 1)]
    for k, env in enumerate(envs):
        env.reset(seed=k)
    for _ in range(40):
        for env in envs:
            env.act(env.target - env.observe()[2:4] + [0.4, 0])
        pliant.step_many([env.sim for env in envs])
    rewards = [env.result()[1] for env in envs]
    print(f"{copies} environments, 40 steps: mean reward {numpy.mean(rewards):.4f}")
    alone = FingerEnv(make_scene(device).simulate())
    alone.reset(seed=3)
    for _ in range(40):
        alone.step(alone.target - alone.observe()[2:4] + [0.4, 0])
    assert alone.result()[1] == rewards[3], "a single environment must give the same bits as in the batch"
