"""Reads a mesh by meshio, simulates it, and shows results by pyvista (needs both). Without MESH the script writes a
small bar and reads this file.

usage: meshes.py [MESH]
"""
import sys
import tempfile

import meshio
import numpy
import pliant


def write_example():
    """Writes a bar of 2 x 1 x 1 hexahedra."""
    points = numpy.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1, 2)], dtype=float)
    cells = numpy.array([[0, 1, 4, 3, 6, 7, 10, 9], [1, 2, 5, 4, 7, 8, 11, 10]])
    path = tempfile.NamedTemporaryFile(suffix=".vtk", delete=False).name
    meshio.write_points_cells(path, points, [("hexahedron", cells)])
    return path


mesh = meshio.read(sys.argv[1] if len(sys.argv) > 1 else write_example())
block = next(block for block in mesh.cells if block.type in ("tetra", "tetra10", "hexahedron"))
scene = pliant.Scene(young=1e5, gravity=[0, 0, -9.81])
scene.add_mesh(mesh.points, block.data, name="body")
low, high = mesh.points[:, 0].min(), mesh.points[:, 0].max()
scene.add("pins", {"x": [None, float(low + 0.01 * (high - low))]})
sim = scene.simulate()
sim.step(30)
grid = sim.to_pyvista()
print(f"{grid.n_cells} cells, largest displacement {numpy.abs(grid.point_data['displacements']).max():.4f} m")
