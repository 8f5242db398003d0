"""USD: bodies from UsdGeom.TetMesh, and animated surfaces as UsdGeom.Mesh. Needs usd-core: pip install usd-core.

    scene = pliant.from_usd("liver.usdc", young=2e4, density=1000)
    sim = scene.simulate()
    with pliant.UsdRecorder("liver_moves.usdc", sim) as film:
        for frame in range(120):
            sim.step()
            film.add()
"""
import os
import typing

import numpy

from ._scene import Scene
from .errors import BadArgument, BadFile

if typing.TYPE_CHECKING:
    from ._simulation import Simulation


def _usd():
    """Returns the modules of usd-core."""
    try:
        from pxr import Gf, Sdf, Tf, Usd, UsdGeom, Vt
    except ImportError as error:
        raise ImportError("USD files need usd-core: pip install usd-core") from error
    return Gf, Sdf, Tf, Usd, UsdGeom, Vt


def _open(path, Usd, Tf):
    try:
        return Usd.Stage.Open(path)
    except Tf.ErrorException as error:
        raise BadFile(f"{path}: cannot be opened as USD: {str(error).strip().splitlines()[-1].strip()}") from None


def _find(stage, path, prim, UsdGeom):
    """Returns the TetMesh at the path `prim`, or the only one of the stage if prim is None."""
    meshes = [p for p in stage.Traverse() if p.IsA(UsdGeom.TetMesh)]
    known = ", ".join(str(p.GetPath()) for p in meshes[:20]) or "none"
    if prim is None:
        if len(meshes) == 1:
            return UsdGeom.TetMesh(meshes[0])
        if not meshes:
            raise BadFile(f"{path}: has no prim of the type TetMesh")
        raise BadFile(f"{path}: has {len(meshes)} prims of the type TetMesh, expected one; give the path of one as "
                      f"`prim`: {known}")
    found = [p for p in meshes if str(p.GetPath()) == str(prim)]
    if not found:
        raise BadArgument(f'{path}: "{prim}" is no TetMesh; the file has: {known}')
    return UsdGeom.TetMesh(found[0])


def read_usd(path: typing.Union[str, os.PathLike], prim: typing.Optional[str] = None,
             time: typing.Optional[float] = None) -> typing.Tuple[numpy.ndarray, numpy.ndarray]:
    """Reads a UsdGeom.TetMesh. Returns its points [nodes][3], m, and tets [tets][4].

    prim: path of the prim, such as "/World/liver"; None: the only TetMesh of the file. time: time code at which points
    and tets are read; None: the default values, or the first time sample if there are none. Points are in the
    coordinates of the world, multiplied by the stage's metersPerUnit; axes are not changed. Points that no tet uses are
    left out.
    """
    _, _, Tf, Usd, UsdGeom, _ = _usd()
    path = os.fspath(path)
    stage = _open(path, Usd, Tf)
    mesh = _find(stage, path, prim, UsdGeom)
    where = f"{path}: {mesh.GetPath()}"
    code = Usd.TimeCode.Default() if time is None else Usd.TimeCode(time)
    if time is None and mesh.GetPointsAttr().Get() is None:
        code = Usd.TimeCode.EarliestTime()

    points, tets = mesh.GetPointsAttr().Get(code), mesh.GetTetVertexIndicesAttr().Get(code)
    if not points or not tets:
        raise BadFile(f"{where}: has no {'tetVertexIndices' if points else 'points'}")
    points = numpy.array(points, dtype=numpy.float64)
    tets = numpy.array(tets, dtype=numpy.int64)
    if not numpy.isfinite(points).all():
        raise BadFile(f"{where}: point {numpy.flatnonzero(~numpy.isfinite(points).all(axis=1))[0]} is not finite")
    if tets.min() < 0 or tets.max() >= len(points):
        wrong = numpy.flatnonzero(((tets < 0) | (tets >= len(points))).any(axis=1))[0]
        raise BadFile(f"{where}: tet {wrong} has nodes {tets[wrong].tolist()}, expected 0 to {len(points) - 1}")

    # In USD a point is a row vector: the world position is the point times the matrix.
    world = numpy.array(UsdGeom.Imageable(mesh).ComputeLocalToWorldTransform(code))
    points = (points @ world[:3, :3] + world[3, :3]) * UsdGeom.GetStageMetersPerUnit(stage)
    used, numbers = numpy.unique(tets, return_inverse=True)
    tets = numbers.reshape(-1, 4).astype(numpy.int32)

    # VTK's order of nodes gives a tet a positive volume. Mirrored or left-handed meshes have the opposite order.
    a, b, c, d = (points[used][tets[:, k]] for k in range(4))
    inverted = numpy.einsum("ij,ij->i", numpy.cross(b - a, c - a), d - a) < 0
    tets[inverted, :2] = tets[inverted, 1::-1]
    return points[used], tets


def from_usd(path: typing.Union[str, os.PathLike], prim: typing.Optional[str] = None,
             time: typing.Optional[float] = None, **keys: typing.Any) -> Scene:
    """Creates a scene with one body from a UsdGeom.TetMesh. path, prim, time: as in read_usd. keys: values of keys, as
    in scene files."""
    points, tets = read_usd(path, prim, time)
    scene = Scene(**keys)
    scene.add_mesh(points, tets)
    return scene


class UsdRecorder:
    """Writes the surface of a simulation as an animated UsdGeom.Mesh. Use it as a context manager, or call close().

    path: a new file, .usd, .usda or .usdc. prim: path of the mesh in it. fps: time codes per second of the USD file.
    up: "Y" or "Z", the axis that viewers show upward; positions are not turned. The mesh has points and velocities for
    each frame. Its triangles are written again only after a cut.
    """

    def __init__(self, path: typing.Union[str, os.PathLike], sim: "Simulation", prim: str = "/body", fps: float = 60,
                 up: str = "Z") -> None:
        _, Sdf, Tf, Usd, UsdGeom, _ = _usd()
        if not (Sdf.Path.IsValidPathString(prim) and Sdf.Path(prim).IsAbsolutePath() and Sdf.Path(prim).IsPrimPath()):
            raise BadArgument(f'prim is "{prim}", expected a path such as "/body"')
        if up not in ("Y", "Z"):
            raise BadArgument(f'up is "{up}", expected "Y" or "Z"')
        if not fps > 0:
            raise BadArgument(f"fps is {fps}, expected more than 0")
        try:
            self._stage = Usd.Stage.CreateNew(os.fspath(path))
        except Tf.ErrorException as error:
            raise BadFile(f"{os.fspath(path)}: {str(error).strip().splitlines()[-1].strip()}") from None
        self.sim, self.fps, self.count = sim, fps, 0
        UsdGeom.SetStageUpAxis(self._stage, up)
        UsdGeom.SetStageMetersPerUnit(self._stage, 1)
        self._stage.SetTimeCodesPerSecond(fps)
        self._stage.SetFramesPerSecond(fps)
        self._mesh = UsdGeom.Mesh.Define(self._stage, prim)
        self._mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        self._stage.SetDefaultPrim(self._stage.GetPrimAtPath(Sdf.Path(prim).GetPrefixes()[0]))
        self._triangles = self._nodes = None

    def _take_surface(self, code):
        """Writes the surface's triangles if they changed since the last frame. The nodes of the surface get new
        numbers, from 0 on, since the file does not contain inner nodes."""
        _, _, _, _, _, Vt = _usd()
        surface = self.sim.field("surface")
        if self._triangles is not None and numpy.array_equal(surface, self._triangles):
            return
        self._triangles = surface.copy()
        self._nodes, numbers = numpy.unique(surface, return_inverse=True)
        counts = numpy.full(len(surface), 3, dtype=numpy.int32)
        indices = numpy.ascontiguousarray(numbers.ravel(), dtype=numpy.int32)
        self._mesh.GetFaceVertexCountsAttr().Set(Vt.IntArray.FromNumpy(counts), code)
        self._mesh.GetFaceVertexIndicesAttr().Set(Vt.IntArray.FromNumpy(indices), code)

    def add(self, time: typing.Optional[float] = None) -> None:
        """Adds the present state as a frame. time: s; None: the simulated time."""
        Gf, _, _, _, _, Vt = _usd()
        if self._stage is None:
            raise BadArgument("the recorder is closed")
        code = (self.sim.time if time is None else time) * self.fps
        if abs(code - round(code)) < 1e-6:
            code = round(code)  # removes rounding errors of the summed time
        self._take_surface(code)
        points = self.sim.positions[self._nodes].astype(numpy.float32)
        speed = self.sim.velocities[self._nodes].astype(numpy.float32)
        self._mesh.GetPointsAttr().Set(Vt.Vec3fArray.FromNumpy(points), code)
        self._mesh.GetVelocitiesAttr().Set(Vt.Vec3fArray.FromNumpy(speed), code)
        corners = [Gf.Vec3f(*map(float, bound)) for bound in (points.min(axis=0), points.max(axis=0))]
        self._mesh.GetExtentAttr().Set(Vt.Vec3fArray(corners), code)
        if self.count == 0:
            self._stage.SetStartTimeCode(code)
        self._stage.SetEndTimeCode(code)
        self.count += 1

    def close(self) -> None:
        """Writes the file."""
        if self._stage is not None:
            self._stage.GetRootLayer().Save()
        self._stage = self._mesh = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def to_usd(path: typing.Union[str, os.PathLike], sim: "Simulation", steps: int = 0, every: int = 1,
           **options: typing.Any) -> None:
    """Writes the present surface of a simulation as the first frame. Then takes `steps` steps, and adds a frame after
    each group of `every` steps. `steps` is rounded down to a multiple of `every`. options: prim, fps and up of
    UsdRecorder."""
    with UsdRecorder(path, sim, **options) as film:
        film.add()
        for _ in range(steps // every):
            sim.step(every)
            film.add()
