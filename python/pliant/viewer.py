"""A view of a simulation in a Jupyter notebook, or in a window of pyvista. Needs pyvista: pip install "pyvista[jupyter]".

    sim = scene.simulate()
    pliant.view(sim, "von_mises")
"""
import asyncio
import concurrent.futures
import importlib.util
import logging
import typing

import numpy

from ._tables import fields
from .errors import BadArgument, PliantError

if typing.TYPE_CHECKING:
    from ._simulation import Grab, Simulation

BUTTON = 40  # pixels, edge length of the button
BEFORE_CAMERA = 0.25  # VTK priority of the mouse handler: it runs after the buttons' handler and before the camera's


NEEDS = "pliant.view needs pyvista and, in notebooks, trame: pip install 'pyvista[jupyter]'"


def _pyvista():
    """Returns the modules of pyvista and of VTK's pickers."""
    try:
        import pyvista
        from vtkmodules import vtkRenderingCore
    except ImportError as error:
        raise ImportError(NEEDS) from error
    return pyvista, vtkRenderingCore


class Viewer:
    """A plotter that shows the surface of a simulation, coloured by a field, while the simulation takes steps.

    The button at the bottom left plays and pauses. The left mouse button pulls the body; next to the body it turns the
    camera. While the viewer plays, its own thread uses the simulation: call pause() before you use the simulation.

    plotter: the pyvista.Plotter, for example for add_axes. mesh: the pyvista.PolyData of the surface. error: the
    exception that ended playing, or None.
    """

    def __init__(self, sim: "Simulation", field: str = "von_mises", steps: int = 1, fps: float = 30,
                 stiffness: float = 0, radius: typing.Optional[float] = None, **options: typing.Any) -> None:
        pyvista, core = _pyvista()
        row = next((row for row in fields() if row.name == field), None)
        if not row or row.per != "node":
            known = ", ".join(row.name for row in fields() if row.per == "node")
            raise BadArgument(f'field is "{field}", expected a field on nodes: {known}')
        if steps < 1 or not fps > 0:
            raise BadArgument(f"steps is {steps} and fps is {fps}, expected at least 1 step and fps above 0")
        self.sim, self.field, self.steps, self.fps, self.stiffness = sim, field, steps, fps, stiffness
        x = sim.positions
        self.radius = 0.05 * float(numpy.linalg.norm(x.max(axis=0) - x.min(axis=0))) if radius is None else radius
        self.playing, self.error = False, None
        self._title = f"{field}, {row.unit}" if row.unit else field
        self._worker = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="pliant-viewer")
        self._job: "typing.Optional[concurrent.futures.Future]" = None
        self._task: "typing.Optional[asyncio.Task]" = None
        self._grab: "typing.Optional[Grab]" = None
        self._grabbed = None  # picked point on the body when the grab began, m
        self._pull = None  # (picked point, target of the pull), m; None: nothing is pulled
        self._pyvista = pyvista
        self.plotter = pyvista.Plotter(**options)
        self._picker = core.vtkCellPicker()
        self._picker.SetTolerance(1e-3)
        self.mesh = pyvista.PolyData()
        self._refresh()
        actor = self.plotter.add_mesh(self.mesh, scalars=self._title, show_edges=True, cmap="viridis")
        self._picker.AddPickList(actor)
        self._picker.PickFromListOn()
        self._mapper = actor.mapper
        self._clock = self.plotter.add_text("", position="upper_left", font_size=10)
        self._add_button()
        self._listen()
        self._label()

    # ---- picture

    def _refresh(self):
        """Copies the surface, its positions and the field to the plotted mesh."""
        triangles, points = self.sim.field("surface"), self.sim.positions.copy()
        values = self.sim.field(self.field)
        values = numpy.linalg.norm(values, axis=1) if values.ndim == 2 else values.copy()
        faces = numpy.column_stack([numpy.full(len(triangles), 3), triangles]).ravel()
        if self.mesh.n_points != len(points) or not numpy.array_equal(self.mesh.faces, faces):
            new = self._pyvista.PolyData(points, faces)  # the first picture, or the body was cut
            new.point_data[self._title] = values
            self.mesh.copy_from(new)
        else:
            self.mesh.points = points
            self.mesh.point_data[self._title] = values
        if hasattr(self, "_mapper"):
            self._mapper.scalar_range = float(values.min()), float(values.max())

    def _label(self):
        text = f"{self.sim.time:.3f} s"
        self._clock.set_text("upper_left", f"{text}\n{self.error}" if self.error else text)

    def _add_button(self):
        self._button = self.plotter.add_checkbox_button_widget(self._pressed, size=BUTTON, color_on="green")
        self.plotter.add_text("Play / Pause", position=(BUTTON + 20, 18), font_size=9)

    def _pressed(self, on):
        self.play() if on else self.pause()

    def _show_button(self):
        self._button.GetRepresentation().SetState(int(self.playing))

    # ---- mouse

    def _listen(self):
        interactor = self.plotter.iren.interactor
        for event, act in (("LeftButtonPressEvent", self._press), ("MouseMoveEvent", self._move),
                           ("LeftButtonReleaseEvent", self._let_go)):
            self._observe(interactor, event, act)

    def _observe(self, interactor, event, act):
        def called(caller, name):
            if act(*caller.GetEventPosition()):
                interactor.GetCommand(tag).SetAbortFlag(1)  # the camera does not turn

        tag = interactor.AddObserver(event, called, BEFORE_CAMERA)

    def _press(self, x, y):
        """Begins a pull if the body is visible at this pixel. Returns False otherwise."""
        self._picker.Pick(x, y, 0, self.plotter.renderer)
        if self._picker.GetCellId() < 0:
            return False
        point = numpy.array(self._picker.GetPickPosition())
        self._pull = point, point
        return True

    def _move(self, x, y):
        """Moves the target of the pull in the plane of the screen."""
        if self._pull is None:
            return False
        renderer, point = self.plotter.renderer, self._pull[0]
        renderer.SetWorldPoint(*point, 1)
        renderer.WorldToDisplay()
        renderer.SetDisplayPoint(x, y, renderer.GetDisplayPoint()[2])
        renderer.DisplayToWorld()
        world = numpy.array(renderer.GetWorldPoint())
        self._pull = point, world[:3] / world[3]
        return True

    def _let_go(self, x, y):
        was = self._pull is not None
        self._pull = None
        return was

    # ---- time

    def _advance(self, pull):
        """Takes the time steps of one frame. Runs in the viewer's thread."""
        if pull is None:
            self._release()
        else:
            if self._grabbed is not pull[0]:
                self._release()
                self._grab = self.sim.grab(pull[0], self.radius, self.stiffness)
                self._grabbed = pull[0]
            self._grab.to(pull[1] - pull[0])
        self.sim.step(self.steps)

    def _release(self):
        grab, self._grab, self._grabbed = self._grab, None, None
        if grab is not None:
            grab.release()

    def tick(self) -> bool:
        """Shows the last frame if it is complete, and begins the next frame if the viewer plays. Returns True if a
        frame was shown. show() calls this method `fps` times per second; without show(), call it yourself."""
        if self._job is not None and not self._job.done():
            return False
        job, self._job = self._job, None
        if job is not None:
            self._take(job)
        if self.playing:
            self._job = self._worker.submit(self._advance, self._pull)
        return job is not None

    def _take(self, job):
        """Shows the result of a frame, or its error."""
        error = job.exception()
        if error is not None:
            self.playing, self.error = False, error
            logging.getLogger("pliant").error("%s", error, exc_info=not isinstance(error, PliantError))
            self._show_button()
        self._refresh()
        self._label()
        self.plotter.render()

    def play(self) -> None:
        """Begins to take steps."""
        self.playing, self.error = True, None
        self._show_button()

    def pause(self) -> None:
        """Ends playing. Returns when the running steps are complete, so that other code may then use the simulation."""
        self.playing = False
        self._show_button()
        if self._job is not None:
            concurrent.futures.wait([self._job])
            self.tick()

    def close(self) -> None:
        """Ends playing, releases the body and closes the plotter."""
        self.playing = False
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._worker.shutdown()
        self._job = self._pull = None
        self._release()
        self.plotter.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    async def _run(self):
        while True:
            self.tick()
            await asyncio.sleep(1 / self.fps)

    def show(self, jupyter_backend: str = "server", **options: typing.Any) -> None:
        """Shows the view in a notebook, or else in a window; returns when the window closes.

        jupyter_backend: as in pyvista; the mouse pulls the body only with "server". options: those of
        pyvista.Plotter.show.
        """
        if self.plotter.notebook:
            if not importlib.util.find_spec("trame"):
                raise ImportError(NEEDS)
            self._task = asyncio.get_running_loop().create_task(self._run())
            self.plotter.show(jupyter_backend=jupyter_backend, **options)
        else:
            self.plotter.add_timer_event(max_steps=2**31 - 1, duration=max(1, round(1000 / self.fps)),
                                         callback=lambda step: self.tick())
            try:
                self.plotter.show(**options)
            finally:
                self.close()


def view(sim: "Simulation", field: str = "von_mises", *, show: bool = True, **options: typing.Any) -> Viewer:
    """Shows a simulation in a notebook or a window, with a button that plays it; the mouse pulls the body.

    field: a field on nodes; of a vector field, the length of the vectors is shown. show: if False, the Viewer is
    returned without being shown; call its method show() later. options: steps (time steps per frame), fps (frames per
    second at most), stiffness (N/m, of the pull; 0: computed from the body), radius (m, of the pulled region) and those
    of pyvista.Plotter. Returns the Viewer.
    """
    viewer = Viewer(sim, field, **options)
    if show:
        viewer.show()
    return viewer
