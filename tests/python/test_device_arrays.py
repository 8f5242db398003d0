#!/usr/bin/env python3
"""Tests arrays on a GPU that the library shares with cupy, torch and JAX. Each test runs if its library is installed.
With two GPUs, also tests simulations on both. Without a GPU, tests only errors and DLPack's bookkeeping.

usage: test_device_arrays.py SOURCE LIBRARY     root of the sources, path of libpliant.so.0
"""
import gc
import importlib.util
import os
import pathlib
import sys
import threading
import unittest

SOURCE, LIBRARY = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
if not importlib.util.find_spec("numpy"):
    print("numpy is not installed: Debian's package is python3-numpy")
    sys.exit(77)

os.environ["PLIANT_LIBRARY"] = str(LIBRARY)  # the package loads this library
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # JAX leaves memory of the GPU to the library
sys.path.insert(0, str(SOURCE / "python"))
import numpy  # noqa: E402
import pliant  # noqa: E402
from pliant import _arrays, _library  # noqa: E402

GPU = pliant.device_count() > 0


def bar(device, **keys):
    scene = pliant.Scene(shapes=[{"kind": "box", "size": [1, 0.4, 0.4], "cells": 4}], young=1e5, dt=0.01,
                         device=device, **keys)
    return scene.simulate()


class Interface:
    """An array that claims to be on a GPU."""

    def __init__(self, **facts):
        self.__cuda_array_interface__ = {"data": (4096, False), "version": 3, **facts}


class Errors(unittest.TestCase):
    def test_an_array_on_a_gpu_is_refused_by_a_simulation_on_the_cpu(self):
        sim = bar("cpu")
        with self.assertRaisesRegex(pliant.BadArgument, "the simulation is on the CPU"):
            sim.put("forces", Interface(shape=(len(sim.positions), 3), typestr="<f4"))

    def test_a_stream_needs_a_simulation_on_a_gpu(self):
        with self.assertRaisesRegex(pliant.BadArgument, "device must be the simulation's GPU"):
            bar("cpu").field("positions", -1, 0)

    def test_recorded_work_needs_a_simulation_on_a_gpu(self):
        with self.assertRaisesRegex(pliant.BadArgument, "the sim is on the CPU"):
            bar("cpu").record_force(lambda x, force, stream: None)
        bar("cpu").record_force(None)  # nothing to delete, so this does nothing

    def test_arrays_that_the_library_cannot_read(self):
        rows = {"shape": (5, 3), "typestr": "<f4"}
        with self.assertRaisesRegex(pliant.BadArgument, "int32"):
            _arrays.device_view(Interface(**{**rows, "typestr": "<i4"}), 0, "forces")
        with self.assertRaisesRegex(pliant.BadArgument, "not contiguous"):
            _arrays.device_view(Interface(**rows, strides=(24, 4)), 0, "forces")
        with self.assertRaisesRegex(pliant.BadArgument, "shape"):
            _arrays.device_view(Interface(**{**rows, "shape": (5, 3, 1)}), 0, "forces")
        view = _arrays.device_view(Interface(**rows, strides=(12, 4), stream=7), 0, "forces")
        self.assertEqual((view.data, view.type, tuple(view.shape), view.stream), (4096, 0, (5, 3), 7))

    def test_an_array_on_another_gpu_is_refused(self):
        array = Interface(shape=(5, 3), typestr="<f4")
        array.__dlpack_device__ = lambda: (2, 1)
        with self.assertRaisesRegex(pliant.BadArgument, "the array is on GPU 1, but the simulation is on GPU 0"):
            _arrays.device_view(array, 0, "forces")
        self.assertEqual(_arrays.device_view(array, 1, "forces").device, 1)

    def test_an_array_names_its_gpu(self):
        array = _arrays.DeviceArray(None, _library.View(data=4096, device=1, type=0, shape=(5, 3)))
        self.assertEqual(array.__dlpack_device__(), (2, 1))
        capsule = array.__dlpack__()
        address = _arrays._get_pointer(id(capsule), b"dltensor")
        self.assertEqual(_arrays._Managed.from_address(address).tensor.device, 1)

    def test_gpus_that_do_not_exist_are_refused(self):
        for name in ("cuda:x", "cuda:-1"):
            with self.assertRaisesRegex(pliant.BadArgument, r"expected one of auto\|cpu\|cuda or cuda:N"):
                bar(name)
        name = f"cuda:{pliant.device_count()}"
        with self.assertRaisesRegex(pliant.NoDevice, f'device "{name}" cannot be used'):
            bar(name)

    def test_an_unused_capsule_frees_its_array(self):
        before = len(_arrays._exported)
        view = _library.View(data=4096, device=0, type=0, shape=(5, 3))
        array = _arrays.DeviceArray(None, view)
        capsule = array.__dlpack__()
        self.assertEqual(len(_arrays._exported), before + 1)
        del capsule
        gc.collect()
        self.assertEqual(len(_arrays._exported), before)


class Library:
    """Tests with one of the libraries. A subclass has the functions `read` (DeviceArray to array), `host` (array to
    numpy) and `there` (numpy to array)."""

    def test_a_view_shows_the_positions(self):
        sim = bar("cuda", gravity=[0, 0, -9.81])
        sim.step(3)
        seen = self.host(self.read(sim.field("positions", sim.device)))
        # the GPU adds positions at rest and displacements as floats, so the last bit may differ
        numpy.testing.assert_allclose(seen, sim.positions, atol=1e-7)

    def test_forces_act_as_those_of_the_host(self):
        """Both simulations have no other loads, so they compute with the same numbers."""
        for dtype in (numpy.float32, numpy.float64):
            sims = [bar("cuda", gravity=[0, 0, 0]) for _ in range(2)]
            force = numpy.linspace(-1, 1, sims[0].positions.size).reshape(-1, 3).astype(dtype)
            for k in range(3):
                there = self.there(force * (k + 1))
                sims[0].put("forces", there)
                sims[1].put("forces", self.host(there))
                for sim in sims:
                    sim.step(5)
            numpy.testing.assert_array_equal(sims[0].positions, sims[1].positions)
            numpy.testing.assert_array_equal(sims[0].field("forces"), sims[1].field("forces").astype(numpy.float32))
            self.assertGreater(abs(sims[0].velocities).max(), 1e-3)
            for sim in sims:  # a reset ends the forces
                sim.reset()
                sim.step(5)
            self.assertEqual(abs(sims[0].velocities).max(), 0)

    def test_a_cut_ends_forces(self):
        sim = bar("cuda", gravity=[0, 0, 0], cuts=[])
        sim.put("forces", self.there(numpy.ones(sim.positions.shape, numpy.float32)))
        sim.cut([0, 0, 0], normal=[1, 0, 0])
        self.assertEqual(abs(sim.field("forces")).max(), 0)
        sim.step(5)
        self.assertEqual(abs(sim.velocities).max(), 0)
        sim.put("forces", self.there(numpy.ones(sim.positions.shape, numpy.float32)))
        sim.step(5)
        self.assertGreater(sim.velocities.min(), 0)

    def test_positions_and_velocities(self):
        sim = bar("cuda", gravity=[0, 0, 0])
        x = (sim.positions * 1.25).astype(numpy.float32)
        sim.put("positions", self.there(x))
        numpy.testing.assert_allclose(sim.positions, x, atol=1e-6)
        sim.put("velocities", self.there(numpy.ones_like(x)))
        numpy.testing.assert_allclose(sim.velocities, 1, atol=1e-6)
        x[7, 1] = numpy.nan
        with self.assertRaisesRegex(pliant.BadArgument, "component 1 of row 7"):
            sim.put("positions", self.there(x))

    def test_forces_that_are_not_finite_fail_the_next_step(self):
        sim = bar("cuda")
        sim.put("forces", self.there(numpy.full(sim.positions.shape, numpy.nan, numpy.float32)))
        with self.assertRaises(pliant.StepFailed):
            sim.step()
        sim.put("forces", numpy.zeros(sim.positions.shape))
        sim.step()


class Recorder:
    """Tests of recorded work. A subclass has the function `pull(rest)`, which returns a function for record_force. This
    function computes the force rest - x."""

    def test_recorded_forces_act_as_forces_that_are_put_in_each_step(self):
        sims = [bar("cuda", gravity=[0, 0, 0]) for _ in range(2)]
        target = (sims[0].positions + [0.01, 0, 0.02]).astype(numpy.float32)
        pull = self.pull(self.there(target))
        sims[0].record_force(pull)
        for precision in ("float", "double", "float"):  # a change of the precision creates new simulations
            for sim in sims:
                sim["precision"] = precision
            sims[0].step(10)
            for _ in range(10):
                x = self.host(self.read(sims[1].field("positions", sims[1].device)))
                sims[1].put("forces", self.there(target - x))
                sims[1].step()
            numpy.testing.assert_array_equal(sims[0].positions, sims[1].positions)
            self.assertGreater(abs(sims[0].velocities).max(), 1e-4)
            for sim in sims:  # the recorded work stays after a reset, the forces of put do not
                sim.reset()

    def test_the_end_of_recorded_work(self):
        sim = bar("cuda", gravity=[0, 0, 0], cuts=[])
        pull = self.pull(self.there(numpy.ones(sim.positions.shape, numpy.float32)))
        sim.record_force(pull)
        with self.assertRaisesRegex(pliant.BadArgument, "record_force sets the forces"):
            sim.put("forces", numpy.zeros(sim.positions.shape))
        sim.record_force(None)
        sim.step(3)
        self.assertEqual(abs(sim.velocities).max(), 0)
        sim.record_force(pull)
        sim.cut([0, 0, 0], normal=[1, 0, 0])
        sim.step(3)
        self.assertEqual(abs(sim.velocities).max(), 0)

    def test_recorded_work_does_not_follow_to_another_device(self):
        sim = bar("cuda", gravity=[0, 0, 0])
        sim.record_force(self.pull(self.there(numpy.ones(sim.positions.shape, numpy.float32))))
        sim["device"] = "cuda:1" if pliant.device_count() > 1 else "cpu"
        with self.assertRaisesRegex(pliant.StepFailed, "another device"):
            sim.step()
        sim.record_force(None)
        sim.step()

    def test_functions_that_cannot_be_recorded(self):
        sim = bar("cuda", gravity=[0, 0, 0])
        pull = self.pull(self.there(numpy.ones(sim.positions.shape, numpy.float32)))
        sim.record_force(pull)
        with self.assertRaisesRegex(pliant.BadArgument, "queued no work"):
            sim.record_force(lambda x, force, stream: None)
        with self.assertRaises(ZeroDivisionError):
            sim.record_force(lambda x, force, stream: 1 / 0)
        sim.step(3)  # a failed call deletes the work that was recorded before
        self.assertEqual(abs(sim.velocities).max(), 0)
        sim.record_force(pull)
        sim.step(3)
        self.assertGreater(abs(sim.velocities).max(), 0)

    def test_simulations_that_take_their_steps_together(self):
        keys = {"gravity": [0, 0, 0], "solver": "block", "assembly": "globalnz"}
        sims = [bar("cuda", **keys) for _ in range(4)]
        rest = sims[0].positions.astype(numpy.float32)
        for k, sim in enumerate(sims):
            sim.record_force(self.pull(self.there(rest + 0.01 * (k % 2))))
        pliant.step_many(sims, 5)
        numpy.testing.assert_array_equal(sims[0].positions, sims[2].positions)
        numpy.testing.assert_array_equal(sims[1].positions, sims[3].positions)
        self.assertGreater(abs(sims[1].velocities).max(), abs(sims[0].velocities).max() + 1e-4)
@unittest.skipUnless(pliant.device_count() > 1, "needs two GPUs")
class TwoGpus(unittest.TestCase):
    def test_both_have_the_same_bits_in_two_threads(self):
        results = {}

        def run(gpu):
            sim = bar(f"cuda:{gpu}", gravity=[0, 0, -9.81], floor=-0.25)
            sim.step(30)
            array = sim.field("positions", sim.device)
            results[gpu] = sim.device, array.__dlpack_device__(), sim.positions.copy()

        threads = [threading.Thread(target=run, args=(gpu,)) for gpu in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for gpu in range(2):
            self.assertEqual(results[gpu][:2], (gpu, (2, gpu)))
        numpy.testing.assert_array_equal(results[0][2], results[1][2])

    def test_a_simulation_moves_to_another_gpu(self):
        sims = [bar("cuda", gravity=[0, 0, -9.81], floor=-0.25) for _ in range(2)]
        for sim, gpu in zip(sims, (0, 1)):
            sim.step(5)
            sim["device"] = f"cuda:{gpu}"
            self.assertEqual((sim.device, sim["device"]), (gpu, f"cuda:{gpu}"))
            sim.step(5)
        numpy.testing.assert_array_equal(sims[0].positions, sims[1].positions)

    def test_many_simulations_on_both(self):
        sims = [bar(f"cuda:{k % 2}", gravity=[0, 0, -9.81], floor=-0.25) for k in range(6)]
        pliant.step_many(sims, 10)
        values = pliant.field_many(sims, "positions")
        for k in range(1, 6):
            numpy.testing.assert_array_equal(values[0], values[k])
        pliant.reset_many(sims)
        numpy.testing.assert_allclose(pliant.field_many(sims, "displacements"), 0)

    def test_arrays_are_on_the_gpu_of_their_simulation(self):
        sims = [bar(f"cuda:{gpu}", gravity=[0, 0, 0]) for gpu in range(2)]
        array = sims[1].field("positions", 1)
        sims[1].put("positions", array)
        with self.assertRaisesRegex(pliant.BadArgument, "the array is on GPU 1, but the simulation is on GPU 0"):
            sims[0].put("positions", array)
        with self.assertRaisesRegex(pliant.BadArgument, "device is 0"):
            sims[1].field("positions", 0)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "needs torch")
    def test_the_current_device_of_torch_is_kept(self):
        import torch
        for current in range(2):
            torch.cuda.set_device(current)
            for gpu in range(2):
                sim = bar(f"cuda:{gpu}", gravity=[0, 0, 0])
                x = torch.from_dlpack(sim.field("positions", gpu))
                sim.put("forces", torch.ones_like(x))
                sim.step()
                self.assertEqual((x.device.index, torch.cuda.current_device()), (gpu, current))
                self.assertEqual(torch.ones(1, device="cuda").device.index, current)
                del sim
                self.assertEqual(torch.cuda.current_device(), current)
        torch.cuda.set_device(0)


@unittest.skipUnless(GPU and importlib.util.find_spec("cupy"), "needs a GPU and cupy")
class Cupy(Library, Recorder, unittest.TestCase):
    def setUp(self):
        import cupy
        self.read, self.host, self.there = cupy.asarray, cupy.asnumpy, cupy.asarray

    def pull(self, rest):
        import cupy

        def function(x, force, stream):
            with cupy.cuda.Stream.from_external(stream):
                cupy.subtract(rest, cupy.asarray(x), out=cupy.asarray(force))

        return function

    def test_forces_follow_their_stream(self):
        """The kernel that computes the forces runs for some milliseconds on its own stream, while put is called."""
        import cupy
        sims = [bar("cuda", gravity=[0, 0, 0]) for _ in range(2)]
        with cupy.cuda.Stream(non_blocking=True):
            force = cupy.zeros(sims[0].positions.shape, cupy.float32)
            x = cupy.asarray(sims[0].field("positions", sims[0].device, cupy.cuda.get_current_stream().ptr))
            wait = cupy.random.rand(4000, 4000, dtype=cupy.float32)
            for _ in range(20):
                wait = cupy.minimum(wait @ wait, 1)
            force += 1 + 0 * wait[:1, :1]
            sims[0].put("forces", force)
            force *= 0  # queued after the library has read the array
            first = x.copy()
            sims[0].step(5)
            sims[0].field("positions", sims[0].device, cupy.cuda.get_current_stream().ptr)  # writes to x again
            second = x.copy()
        numpy.testing.assert_allclose(cupy.asnumpy(first), sims[1].positions, atol=1e-7)
        sims[1].put("forces", numpy.ones(force.shape))
        sims[1].step(5)
        numpy.testing.assert_array_equal(sims[0].positions, sims[1].positions)
        numpy.testing.assert_allclose(cupy.asnumpy(second), sims[1].positions, atol=1e-7)


@unittest.skipUnless(GPU and importlib.util.find_spec("torch"), "needs a GPU and torch")
class Torch(Library, Recorder, unittest.TestCase):
    def setUp(self):
        import torch
        self.read, self.host = torch.from_dlpack, lambda array: array.cpu().numpy()
        self.there = lambda array: torch.from_numpy(array).cuda()

    def pull(self, rest):
        import torch

        def function(x, force, stream):
            with torch.cuda.stream(torch.cuda.ExternalStream(stream)):
                torch.sub(rest, torch.from_dlpack(x), out=torch.from_dlpack(force))

        return function


@unittest.skipUnless(GPU and importlib.util.find_spec("jax"), "needs a GPU and jax")
class Jax(Library, unittest.TestCase):
    def setUp(self):
        import jax
        jax.config.update("jax_enable_x64", True)
        self.read, self.host, self.there = jax.dlpack.from_dlpack, numpy.asarray, jax.numpy.asarray


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
