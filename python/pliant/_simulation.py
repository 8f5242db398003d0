"""Simulations: the state of a scene, which time steps change."""
import ctypes
import json
import os
import signal
import struct
import threading
import typing

import numpy
from numpy.typing import ArrayLike

from . import _arrays, _library
from ._arrays import DeviceArray
from ._base import check, library, to_json, whole
from ._progress import Listener, Log, Progress
from ._scene import Scene
from ._tables import observable_sizes
from .errors import BadArgument, StepFailed


if typing.TYPE_CHECKING:
    from ._program import Window


class Report(typing.NamedTuple):
    """Results of the last time step that was taken. step is the number of steps so far. time is in s, residual and
    tolerance are in kg m/s. min_J is the smallest det F of all cells. cause is the reason why the step did not
    converge, or "". If a later step fails, only cause describes the failed step."""
    step: int
    time: float
    converged: bool
    newton_iterations: int
    cg_iterations: int
    substeps: int
    residual: float
    tolerance: float
    min_J: float
    cause: str


class _Interrupt:
    """Makes Ctrl-C end a call of the library. During the call, SIGINT only sets a flag, which the library polls. If
    SIGINT was received, its previous handler runs after the call. Calls in other threads than the main thread are not ended, because
    Python handles signals only in the main thread."""

    def __init__(self):
        self.callback = _library.STOP(self._poll)
        self.received = None

    def _poll(self, user):
        return self.received is not None

    def _note(self, number, frame):
        self.received = number, frame

    def run(self, handle, function, *arguments):
        former = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(former):
            return function(handle, *arguments)
        self.received = None
        library.pliant_set_interrupt(handle, self.callback, None)
        signal.signal(signal.SIGINT, self._note)
        try:
            status = function(handle, *arguments)
        finally:
            signal.signal(signal.SIGINT, former)
            library.pliant_set_interrupt(handle, _library.STOP(), None)
        if self.received is not None:
            former(*self.received)
        return status


class Grab:
    """A group of nodes that springs pull towards target positions, or that are moved exactly to these positions. A grab
    ends when release() is called, or at the end of a `with` block."""

    def __init__(self, sim, number, nodes=None):
        self.sim, self.number, self.nodes = sim, number, nodes

    def to(self, offset: ArrayLike) -> None:
        """Sets the target positions of the nodes for the end of the next step: their positions when the grab began,
        plus offset [3], m."""
        self.sim._run(library.pliant_grab_to, self.number, _vector(offset, 3, "offset"))

    def put(self, x: ArrayLike, nodes: typing.Optional[ArrayLike] = None) -> None:
        """Sets the positions of nodes at the end of the next step, x [nodes][3], m. The nodes stay there until the next
        call. nodes: some of the nodes given to grab_nodes; None: all of them, in the same order. Raises BadArgument
        unless grab_nodes with stiffness 0 has made the grab."""
        if nodes is None and self.nodes is None:
            raise BadArgument("springs pull these nodes, so put cannot set their positions; grab them by grab_nodes "
                              "with stiffness 0")
        nodes = self.nodes if nodes is None else _nodes(self.sim, nodes)
        x = numpy.ascontiguousarray(x, dtype=numpy.float64)
        if x.shape != (len(nodes), 3):
            raise BadArgument(f"x has the shape {list(x.shape)}, expected [{len(nodes)}][3]")
        self.sim._run(library.pliant_grab_put, self.number, nodes.ctypes.data, len(nodes), x.ctypes.data)

    def release(self) -> None:
        """Ends the grab."""
        self.sim._run(library.pliant_release, self.number)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.release()


def _vector(values, count, name):
    """Returns the address of an array of `count` numbers. `name` names the argument in an error."""
    array = numpy.ascontiguousarray(values, dtype=numpy.float64)
    if array.shape != (count,):
        raise BadArgument(f"{name} has the shape {list(array.shape)}, expected an array of {count} numbers")
    return array.ctypes.data_as(ctypes.c_void_p)


def _nodes(sim, values):
    """Returns the numbers of nodes of a simulation as an array. values: these numbers, or one bool for each node."""
    array = numpy.asarray(values)
    if array.dtype == bool:
        count = len(sim.field("positions"))
        if array.shape != (count,):
            raise BadArgument(f"nodes have the shape {list(array.shape)}, expected an array of {count} bool")
        array = numpy.flatnonzero(array)
    if array.size and array.dtype.kind not in "iu":
        raise BadArgument(f"nodes have the type {array.dtype}, expected whole numbers or an array of bool")
    for node in (array.min(), array.max()) if array.size else ():
        whole(node, "nodes")
    return numpy.ascontiguousarray(array.ravel(), dtype=numpy.int32)


def _axes(axes):
    bits = {"x": 1, "y": 2, "z": 4}
    if any(axis not in bits for axis in axes):
        raise BadArgument(f'axes is "{axes}", expected some of "xyz"')
    return sum(bits[axis] for axis in set(axes))


class Simulation:
    """The state of a scene and its time steps: Simulation(scene), or Simulation(path, key=value...).

    progress: True, or a function. With True, long calls show their progress as a line on standard error. A function is
    called with two arguments: the present activity (str), and the finished fraction of the call (0 to 1). log: a
    function that is called with each notice (str). None: notices are sent to the function of set_log. Both functions
    get only reports about this simulation, also during its creation. They run in the thread of the call; during
    step_many, reset_many and field_many they run in threads of the library. They can read fields, observables and the
    report of their simulation. Other methods of the simulation, such as step and listen, raise NotNow there.

    Nodes have the numbers that they have in the scene's arrays or mesh file. Calls release the GIL; a simulation is
    used by one thread at a time.
    """

    def __init__(self, scene: typing.Union[Scene, str, os.PathLike], *, progress: Progress = None, log: Log = None,
                 **keys: typing.Any) -> None:
        self._handle = _library.HANDLE()
        if not isinstance(scene, Scene):
            scene = Scene(scene, **keys)
        elif keys or progress or log:
            scene = scene.copy()
            scene.set(**keys)
        self._prepare(progress, log)
        if progress or log:
            check(library.pliant_scene_listen(scene._handle, self._listener.progress, self._listener.log, None))
        check(library.pliant_sim_create(ctypes.byref(self._handle), scene._handle))
        self._listener.check()

    def _prepare(self, progress=None, log=None):
        self._interrupt = _Interrupt()
        self._listener = Listener(progress, log)

    def listen(self, progress: Progress = None, log: Log = None) -> None:
        """Replaces the functions that receive progress and notices, see Simulation."""
        self._listener.refuse()
        listener = Listener(progress, log)
        check(library.pliant_listen(self._handle, listener.progress, listener.log, None))
        self._listener = listener  # keeps the callbacks alive

    def __del__(self):
        if getattr(self, "_handle", None):
            library.pliant_sim_destroy(self._handle)
            self._handle = None

    def _read(self, function, *arguments):
        """Calls a function of the library that does not change this simulation. Raises an exception if it fails."""
        check(function(self._handle, *arguments))

    def _run(self, function, *arguments):
        """Calls a function of the library with this simulation. Raises an exception if it fails, or if it is called by
        a function that receives progress or notices of this simulation."""
        self._listener.refuse()
        check(function(self._handle, *arguments))

    def _run_long(self, function, *arguments):
        """Calls a function of the library that may take long: Ctrl-C ends it. Raises an exception if it fails."""
        self._listener.refuse()
        status = self._interrupt.run(self._handle, function, *arguments)
        self._listener.check()
        check(status)

    # ---- steps

    def step(self, steps: int = 1) -> None:
        """Takes time steps. Raises StepFailed if a step fails even when it is divided into shorter ones."""
        try:
            self._run_long(library.pliant_step, whole(steps, "steps"))
        except StepFailed as error:
            error.cause = self.report.cause
            raise

    def equilibrium(self) -> None:
        """Moves the body to static equilibrium. Pins or grabs must hold the body."""
        self._run_long(library.pliant_equilibrium)

    def reset(self) -> None:
        """Returns to the scene's initial state at time 0."""
        self._run_long(library.pliant_reset)

    @property
    def report(self) -> Report:
        """Results of the last time step."""
        r = _library.Report(size=ctypes.sizeof(_library.Report))
        check(library.pliant_get_report(self._handle, ctypes.byref(r)))
        return Report(r.step, r.time, bool(r.converged), r.newton_iterations, r.cg_iterations, r.substeps, r.residual,
                      r.tolerance, r.min_J, r.cause.decode())

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.report.time

    # ---- states

    def save(self) -> bytes:
        """Returns the state as bytes. Forces set by put are not part of it."""
        needed = ctypes.c_size_t()
        self._run(library.pliant_save, None, 0, ctypes.byref(needed))
        state = ctypes.create_string_buffer(needed.value)
        self._run(library.pliant_save, state, needed.value, None)
        return state.raw

    def load(self, state: bytes) -> None:
        """Sets the state from bytes that save() of a simulation of the same scene has returned."""
        try:
            given = bytes(memoryview(state))
        except TypeError:
            raise BadArgument(f"state has the type {type(state).__name__}, expected the bytes that save() returned") \
                from None
        self._run(library.pliant_load, given, len(given))

    def write(self, path: typing.Union[str, os.PathLike]) -> None:
        """Writes a scene file (.json) that begins in the present state. Further files are written beside it: the state,
        and meshes that are not yet in a file. Grabs and forces set by put are not written."""
        self._run(library.pliant_write, os.fsencode(path))

    def clone(self, count: typing.Optional[int] = None) -> "typing.Union[Simulation, typing.List[Simulation]]":
        """Returns a copy with the present state, or a list of `count` copies."""
        number = 1 if count is None else whole(count, "count")
        if number < 0:
            raise BadArgument(f"count is {number}, expected 0 or more")
        handles = (_library.HANDLE * number)()
        self._listener.refuse()
        check(library.pliant_sim_clone(handles, len(handles), self._handle))
        copies = []
        for handle in handles:
            copy = Simulation.__new__(Simulation)
            copy._handle = _library.HANDLE(handle)
            copy._prepare()
            copies.append(copy)
        return copies[0] if count is None else copies

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        return self.clone()

    def __reduce__(self):
        raise TypeError("a Simulation cannot be pickled; send its scene and the bytes of save() instead")

    # ---- settings

    def __setitem__(self, key: str, value: typing.Any) -> None:
        self._run_long(library.pliant_set, key.encode(), to_json(value))

    def __getitem__(self, key: str) -> typing.Any:
        needed = ctypes.c_size_t()
        check(library.pliant_get(self._handle, key.encode(), None, 0, ctypes.byref(needed)))
        text = ctypes.create_string_buffer(needed.value)
        check(library.pliant_get(self._handle, key.encode(), text, needed.value, None))
        return json.loads(text.value.decode())

    # ---- arrays

    @property
    def device(self) -> int:
        """Number of the GPU that computes the simulation; -1: the CPU computes it."""
        return library.pliant_sim_device(self._handle)

    def field(self, name: str, device: int = _library.HOST,
              stream: typing.Optional[int] = None) -> "typing.Union[numpy.ndarray, DeviceArray]":
        """Returns a field of the present state: "positions", "von_mises"...; `pliant.fields()` lists them.

        With device -1 it is a read-only numpy array that shows the library's memory: the next call with this name
        changes its contents. With the number of the simulation's GPU it is a DeviceArray. stream: the CUDA stream on
        which the caller will read the DeviceArray, such as cupy.cuda.get_current_stream().ptr or
        torch.cuda.current_stream().cuda_stream. The call then does not wait for the GPU. None: the call waits until the
        field is complete.
        """
        view = _library.View(size=ctypes.sizeof(_library.View))
        if stream is not None and device == self.device != _library.HOST:
            self._read(library.pliant_field_on, name.encode(), stream, ctypes.byref(view))
        elif stream is not None:
            raise BadArgument(f"stream is given, so device must be the simulation's GPU; device is {device}")
        else:
            self._read(library.pliant_field, name.encode(), device, ctypes.byref(view))
        if view.device != _library.HOST:
            return DeviceArray(self, view)
        dtype = numpy.dtype(_library.TYPES[view.type])
        memory = (ctypes.c_char * (view.shape[0] * view.shape[1] * dtype.itemsize)).from_address(view.data)
        memory._owner = self  # keeps the memory alive
        array = numpy.frombuffer(memory, dtype).reshape(view.shape[0], view.shape[1])
        array.flags.writeable = False
        return array[:, 0] if view.shape[1] == 1 else array

    def put(self, name: str, values: ArrayLike) -> None:
        """Sets "positions" (m), "velocities" (m/s) or "forces" (N, in all steps until set again), each [nodes][3].

        values: numbers on the CPU or, if the simulation is on a GPU, a float32 or float64 array of cupy, torch or JAX on
        this GPU; an array on another GPU raises BadArgument. The library does not wait for forces from a GPU and does
        not check them: if they are not finite, the next step raises StepFailed.
        """
        if hasattr(values, "__cuda_array_interface__"):
            view = _arrays.device_view(values, self.device, name)
        else:
            values, view = _arrays.host_view(values, name)
        self._run(library.pliant_put, name.encode(), ctypes.byref(view))

    def record_force(self, function: "typing.Optional[typing.Callable[[DeviceArray, DeviceArray, int], typing.Any]]",
                     ) -> None:
        """Records work on the GPU that computes forces before each time step. The simulation must be on a GPU.

        function(x, force, stream) queues this work in the CUDA stream with the address `stream`: it reads the present
        positions x [nodes][3], m, and writes all forces [nodes][3], N. It is called twice, before record_force returns.
        Its second call is recorded as a CUDA graph, which then runs before each step without Python. So the function
        cannot take decisions in later steps, and it must write its results to existing arrays (out=...), because new
        arrays are freed when it returns. It selects the stream by "with cupy.cuda.Stream.from_external(stream):" or
        "with torch.cuda.stream(torch.cuda.ExternalStream(stream)):".

        The forces replace those of put. A reset keeps the recorded work; a cut deletes it. None: deletes it.
        """
        self._listener.refuse()
        failures = []

        def queue(user, x, force, nodes, stream):
            def array(address, read_only):
                view = _library.View(data=address, device=self.device, type=0, shape=(nodes, 3))
                return DeviceArray(self, view, read_only)

            try:
                function(array(x, True), array(force, False), _arrays.Stream(stream or 0))
            except BaseException as error:  # ctypes would print the exception and continue
                failures.append(error)
            return len(failures)

        status = library.pliant_record_force(self._handle, _library.FORCE(queue if function else 0), None)
        self._force = None if status else function  # keeps the arrays of the function alive
        if failures:
            raise failures[0]
        check(status)

    @property
    def positions(self) -> numpy.ndarray:
        """Positions [nodes][3], m: a read-only view, see field."""
        return self.field("positions")

    @positions.setter
    def positions(self, values: ArrayLike) -> None:
        self.put("positions", values)

    @property
    def velocities(self) -> numpy.ndarray:
        """Velocities [nodes][3], m/s: a read-only view, see field."""
        return self.field("velocities")

    @velocities.setter
    def velocities(self, values: ArrayLike) -> None:
        self.put("velocities", values)

    def observe(self, *names: str) -> typing.Any:
        """Returns the value of an observable, such as "kinetic" or "position:17": a number, or an array [3]. For
        several names, returns a list of the values. `pliant.observables()` lists all observables. Sums over time, such
        as "energy_change", begin at 0 in the first call that names them, and again in the first call after reset or
        load. Call observe after each step, so that the sums contain all steps."""
        for name in names:
            if not isinstance(name, str):
                raise BadArgument(f"observe: the name is {name!r}, expected a text such as \"kinetic\"")
        sizes = observable_sizes()
        counts = [sizes.get(name.split(":")[0], 1) for name in names]
        values = (ctypes.c_double * max(sum(counts), 1))()
        texts = (ctypes.c_char_p * len(names))(*(name.encode() for name in names))
        self._read(library.pliant_observe, texts, len(names), values, len(values))
        results, first = [], 0
        for count in counts:
            part = values[first:first + count]
            results.append(part[0] if count == 1 else numpy.array(part))
            first += count
        return results[0] if len(names) == 1 else results

    # ---- actions

    def find(self, **region: typing.Any) -> numpy.ndarray:
        """Returns the nodes of a region at rest: find(x=[None, 0.1]), find(center="+z", radius=0.05)."""
        text, count = to_json(region), ctypes.c_int64()
        self._read(library.pliant_find, text, None, 0, ctypes.byref(count))
        nodes = numpy.empty(count.value, dtype=numpy.int32)
        self._read(library.pliant_find, text, nodes.ctypes.data, len(nodes), ctypes.byref(count))
        return nodes

    def hold(self, nodes: ArrayLike, axes: str = "xyz") -> None:
        """Holds nodes at their present positions along the given axes. If axes is "", releases the nodes."""
        nodes = _nodes(self, nodes)
        self._run(library.pliant_hold, nodes.ctypes.data, len(nodes), _axes(axes))

    def grab(self, x: ArrayLike, radius: float, stiffness: float = 0) -> Grab:
        """Attaches springs to nodes of the body. The centre is the surface node nearest to x [3], m; all nodes closer
        to it than radius, m, get a spring. stiffness: sum of the springs' stiffnesses, N/m; 0: a value that suits the
        body. Returns a Grab."""
        number = ctypes.c_int()
        self._run(library.pliant_grab, _vector(x, 3, "x"), radius, stiffness, ctypes.byref(number))
        return Grab(self, number.value)

    def grab_nodes(self, nodes: ArrayLike, stiffness: float = 0) -> Grab:
        """Grabs nodes. With stiffness 0 they follow the targets of Grab.to or Grab.put exactly; otherwise springs pull
        them, stiffness N/m in total. Returns a Grab."""
        nodes, number = _nodes(self, nodes), ctypes.c_int()
        self._run(library.pliant_grab_nodes, nodes.ctypes.data, len(nodes), stiffness, ctypes.byref(number))
        return Grab(self, number.value, nodes)

    def move_obstacle(self, obstacle: int, x: ArrayLike, rotation: typing.Optional[ArrayLike] = None) -> None:
        """Moves an obstacle during the next step to centre x [3], m, and rotation, a unit quaternion (w, x, y, z)
        relative to its orientation in the scene."""
        turned = None if rotation is None else _vector(rotation, 4, "rotation")
        self._run(library.pliant_obstacle_to, whole(obstacle, "obstacle"), _vector(x, 3, "x"), turned)

    def cut(self, x: ArrayLike, normal: ArrayLike, reach: float = 0) -> int:
        """Cuts along the plane through x [3], m, with a normal [3], as far as reach, m, from x; 0: the whole plane.
        Returns the number of opened faces."""
        opened = ctypes.c_int()
        self._run_long(library.pliant_cut, _vector(x, 3, "x"), _vector(normal, 3, "normal"), reach,
                       ctypes.byref(opened))
        return opened.value

    # ---- views

    def show(self, block: bool = True, *, web: bool = False, program: typing.Union[str, os.PathLike, None] = None,
             **options: typing.Any) -> "typing.Optional[Window]":
        """Opens the window of the program pliant with a copy of the present state; this simulation does not change.

        block: True returns when the window closes. False returns a Window at once, with close(), wait() and closed.
        program: path of the program; None: the one beside the library, or the one in PATH. options: those of `pliant`,
        with _ for -, such as window_size=(800, 600). Raises NoDisplay if no window can be opened.

        web: True shows the simulation in a browser instead, by `pliant serve` and its options, such as port=8080. A
        notebook shows the returned Page, with its `address`, as the result of a cell. Elsewhere the address is printed,
        a browser is opened, and Ctrl-C ends the call unless block is False.
        """
        from ._program import show
        return show(self, block, program, web, **options)

    def to_pyvista(self):
        """Returns the body as a pyvista.UnstructuredGrid with displacements, velocities and von Mises stress."""
        import pyvista
        cells = self.field("cells")
        kind = {4: pyvista.CellType.TETRA, 10: pyvista.CellType.QUADRATIC_TETRA, 8: pyvista.CellType.HEXAHEDRON}
        grid = pyvista.UnstructuredGrid({kind[cells.shape[1]]: cells}, self.positions.copy())
        for name in ("displacements", "velocities", "von_mises"):
            grid.point_data[name] = self.field(name).copy()
        return grid

    def __repr__(self):
        report = self.report
        return f"Simulation(step={report.step}, time={report.time:.6g})"


def _listed(sims):
    """Returns simulations as a list. Raises BadArgument if an element is not a Simulation."""
    sims = list(sims)
    for k, sim in enumerate(sims):
        if not isinstance(sim, Simulation):
            raise BadArgument(f"sims[{k}] is {sim!r}, expected a Simulation")
    return sims


def _handles(sims):
    """Returns the handles of simulations. Raises NotNow if a function that receives progress or notices of one of them
    runs."""
    for sim in [sim for sim in sims if sim._listener.running]:
        sim._listener.refuse()
    # struct.pack takes half as long as the constructor of the array
    addresses = struct.pack(f"{len(sims)}P", *[sim._handle.value for sim in sims])
    return (_library.HANDLE * len(sims)).from_buffer_copy(addresses)


def _check_listeners(sims):
    """Raises the first exception of a function that receives progress or notices of one of the simulations."""
    for sim in [sim for sim in sims if sim._listener.error is not None]:
        sim._listener.check()


def step_many(sims: "typing.Iterable[Simulation]", steps: int = 1) -> None:
    """Takes steps of several different simulations, on several CPU threads. Simulations on the GPU with the solver
    "block" take their steps together (docs/how-to/many-worlds.md). Each simulation computes the same bits as with
    step(). If steps fail, raises the error of the first such simulation."""
    sims = _listed(sims)
    status = library.pliant_step_many(_handles(sims), len(sims), whole(steps, "steps"), None)
    _check_listeners(sims)
    check(status)


def reset_many(sims: "typing.Iterable[Simulation]", chosen: typing.Optional[ArrayLike] = None) -> None:
    """Resets several different simulations, as Simulation.reset does. This is much faster than a loop, because a kernel
    resets the simulations on a GPU together. chosen: an array of bool with an element for each simulation; simulations
    with False keep their state. None: all are reset. If resets fail, raises the error of the first such simulation."""
    sims = _listed(sims)
    mask = None
    if chosen is not None:
        mask = numpy.ascontiguousarray(chosen, dtype=bool)
        if mask.shape != (len(sims),):
            raise BadArgument(f"chosen has the shape {list(mask.shape)}, expected an array of {len(sims)} bool")
    status = library.pliant_reset_many(_handles(sims), len(sims), None if mask is None else mask.ctypes.data, None)
    _check_listeners(sims)
    check(status)


def field_many(sims: "typing.Iterable[Simulation]", name: str) -> numpy.ndarray:
    """Returns a field of several different simulations as a new array [simulations][rows][components], or
    [simulations][rows] if a row has one number. All simulations must have as many nodes, or cells, as the first. CPU
    threads copy the fields, so this is faster than a loop."""
    sims = _listed(sims)
    if not sims:
        raise BadArgument("sims is empty, expected at least one simulation")
    first = sims[0].field(name)
    values = numpy.empty((len(sims),) + first.shape, first.dtype)
    check(library.pliant_field_many(_handles(sims), len(sims), name.encode(), values.ctypes.data, values.nbytes))
    return values
