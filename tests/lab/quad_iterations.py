#!/usr/bin/env python3
"""Counts iterations of conjugate gradients on the meshes of `pliant-lab study reguly`, without Pliant: the mesh, the
element matrices and the solver are implemented here, in plain Python and double precision. Prints the counts that
src/lab/study/reguly.c expects, each with the residual divided by the tolerance, of the last two iterations.

With --lines, counts the iterations of all solvers but multigrid on another grid. SciPy computes the products, because
plain Python would take an hour for 192 intervals.

usage: quad_iterations.py [--lines N] [--json FILE] [DEGREE...]
       --lines: number of intervals between nodes per side; --json: file for the counts; DEGREE: default 1 2 3 4
"""
import argparse
import json
import math
import operator

LINES, DISTORT, SEED, RELATIVE = 24, 0.2, 2, 1e-8
SOLVERS = ("cg", "dcg", "ssor", "multigrid", "ssor_natural")
# multigrid: smoothing steps on the coarsest level, steps of the power method, number of cells along a side that is not
# coarsened, and the interval of eigenvalues that two smoothing steps damp, relative to the largest eigenvalue
COARSEST_STEPS, POWER_STEPS, CELLS_MIN, HIGH = 8, 10, 3, 1.1
LOW = 0.2 * HIGH
STEPS = [2 / (HIGH + LOW + sign * math.sqrt(0.5) * (HIGH - LOW)) for sign in (1, -1)]


def random_units(seed):
    """Yields the random numbers of src/base/random.h, in [-1, 1]."""
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield (seed >> 11) / 2**52 - 1


def make_corners(side):
    """Returns the positions of the corners of a grid of side x side cells on the unit square. Inner corners move at
    random."""
    corner = {}
    random = random_units(SEED)
    for j in range(side + 1):
        for i in range(side + 1):
            x, y = i / side, j / side
            if 0 < i < side and 0 < j < side:
                x += DISTORT / side * next(random)
                y += DISTORT / side * next(random)
            corner[i, j] = x, y
    return corner


def number_mesh(degree, side, corner):
    """Returns the number of nodes, the cells, the set of nodes on the boundary, and the node at each place (i, j) of
    the grid of nodes. A cell has node numbers and corner positions. Nodes are numbered cell by cell. corner: the
    position of each corner (i, j) of the side x side cells."""
    width = side * degree + 1
    number, cells, boundary = {}, [], set()
    for j in range(side):
        for i in range(side):
            cell = []
            for b in range(degree + 1):
                for a in range(degree + 1):
                    at = degree * i + a, degree * j + b
                    if at not in number:
                        number[at] = len(number)
                        if not (0 < at[0] < width - 1 and 0 < at[1] < width - 1):
                            boundary.add(number[at])
                    cell.append(number[at])
            cells.append((cell, [corner[i, j], corner[i + 1, j], corner[i, j + 1], corner[i + 1, j + 1]]))
    return len(number), cells, boundary, number


def bilinear(corners, s, t):
    """Returns the position at (s, t) in [0, 1]^2 of a quad with these corners, and its derivatives by s and t."""
    weights = ((1 - s) * (1 - t), s * (1 - t), (1 - s) * t, s * t)
    by_s, by_t = (t - 1, 1 - t, -t, t), (s - 1, -s, 1 - s, s)
    return tuple(tuple(sum(w * c[d] for w, c in zip(ws, corners)) for d in (0, 1)) for ws in (weights, by_s, by_t))


def gauss(count):
    """Returns pairs (point, weight) of Gauss's rule on [0, 1], by Newton's method on the Legendre polynomial."""
    points = []
    for k in range(count):
        x = math.cos(math.pi * (k + 0.75) / (count + 0.5))
        for _ in range(50):
            low, value = 1.0, x
            for m in range(2, count + 1):
                low, value = value, ((2 * m - 1) * x * value - (m - 1) * low) / m
            slope = count * (x * value - low) / (x * x - 1)
            x -= value / slope
        points.append((0.5 + 0.5 * x, 1 / ((1 - x * x) * slope * slope)))
    return sorted(points)


def lagrange(degree, a, x):
    """Returns value and derivative at x of the polynomial that is 1 at node a and 0 at the other nodes. [0, 1] has
    degree + 1 equidistant nodes."""
    nodes = [b / degree for b in range(degree + 1)]
    value = math.prod((x - nodes[b]) / (nodes[a] - nodes[b]) for b in range(degree + 1) if b != a)
    slope = sum(math.prod([(x - nodes[b]) / (nodes[a] - nodes[b]) for b in range(degree + 1) if b not in (a, c)])
                / (nodes[a] - nodes[c]) for c in range(degree + 1) if c != a)
    return value, slope


def assemble(degree, count, cells):
    """Returns the stiffness matrix as rows {column: value}, and the load vector of the source sin pi x sin pi y."""
    rows, load, n = [{} for _ in range(count)], [0.0] * count, degree + 1
    rule = gauss(n)
    line = [[lagrange(degree, a, x) for a in range(n)] for x, _ in rule]
    points = [(rule[q][0], rule[r][0], rule[q][1] * rule[r][1],
               [line[q][a][0] * line[r][b][0] for b in range(n) for a in range(n)],
               [(line[q][a][1] * line[r][b][0], line[q][a][0] * line[r][b][1]) for b in range(n) for a in range(n)])
              for r in range(n) for q in range(n)]
    for cell, corners in cells:
        matrix = [[0.0] * (n * n) for _ in range(n * n)]
        for s, t, weight, values, slopes in points:
            (x, y), (xs, ys), (xt, yt) = bilinear(corners, s, t)
            det = xs * yt - ys * xt
            gradients = [((yt * gs - ys * gt) / det, (xs * gt - xt * gs) / det) for gs, gt in slopes]
            weight *= det
            f = math.sin(math.pi * x) * math.sin(math.pi * y)
            for i, (gx, gy) in enumerate(gradients):
                load[cell[i]] += weight * f * values[i]
                for j, (hx, hy) in enumerate(gradients):
                    matrix[i][j] += weight * (gx * hx + gy * hy)
        for i, a in enumerate(cell):
            row = rows[a]
            for j, b in enumerate(cell):
                row[b] = row.get(b, 0.0) + matrix[i][j]
    return rows, load


def colours(rows):
    """Returns a colour for each node: the smallest number that no neighbour with a smaller node number has."""
    colour = []
    for a, row in enumerate(rows):
        taken = {colour[b] for b in row if b < a}
        colour.append(next(c for c in range(len(rows)) if c not in taken))
    return colour


def ssor(rows, free, rank):
    """Returns the function r -> (L + D)^-T D (L + D)^-1 r. `rank` gives the order of the nodes. D is the diagonal of
    the matrix. Row a of L has the entries for nodes before a in this order."""
    order = sorted(free, key=lambda a: (rank[a], a))
    place = {a: k for k, a in enumerate(order)}
    before = [([b for b in rows[a] if place.get(b, len(order)) < k], k) for k, a in enumerate(order)]
    lower = [(a, [(b, rows[a][b]) for b in before[k][0]]) for k, a in enumerate(order)]
    upper = [(a, [(b, v) for b, v in rows[a].items() if place.get(b, -1) > k]) for k, a in enumerate(order)]

    def apply(r):
        z = [0.0] * len(r)
        for a, others in lower:
            z[a] = (r[a] - sum(v * z[b] for b, v in others)) / rows[a][a]
        for a, others in reversed(upper):
            z[a] -= sum(v * z[b] for b, v in others) / rows[a][a]
        return z
    return apply


def multiply(rows, x):
    return [sum(value * x[b] for b, value in row.items()) for row in rows]


def interpolation(last, degree, cells):
    """Returns, for each line of nodes of a fine grid, 0 to `last`, its weights {coarse line: weight}. The coarse grid
    has cells of this degree; the lines of both grids are spread evenly."""
    lines = []
    for line in range(last + 1):
        cell = min(line * cells // last, cells - 1)
        values = [lagrange(degree, a, line * cells / last - cell)[0] for a in range(degree + 1)]
        lines.append({degree * cell + a: w for a, w in enumerate(values) if w})
    return lines


class Level:
    """A level of multigrid: the smoother's weights, and the interpolation from the next coarser level."""

    def __init__(self, degree, rows, boundary, number):
        self.degree, self.rows, self.number, self.coarse = degree, rows, number, None
        self.weight = [0.0 if a in boundary else 1 / row[a] for a, row in enumerate(rows)]
        # the power method: the largest eigenvalue of D^-1 A, with the diagonal D of A
        random, x, norms = random_units(1), [0.0] * len(rows), []
        for at in sorted(number, key=lambda at: (at[1], at[0])):
            if number[at] not in boundary:
                x[number[at]] = next(random)
        for _ in range(POWER_STEPS):
            x = list(map(operator.mul, self.weight, multiply(rows, x)))
            norms.append(math.sqrt(sum(v * v for v in x)))
        self.weight = [norms[-2] / norms[-1] * w for w in self.weight]

    def smooth(self, b, x, count):
        """Makes `count` steps of the smoother."""
        for k in range(count):
            x = [v + STEPS[k % 2] * w * (f - y) for v, w, f, y in zip(x, self.weight, b, multiply(self.rows, x))]
        return x

    def cycle(self, b):
        """Returns the result of one cycle with the right-hand side b."""
        x = self.smooth(b, [0.0] * len(b), 2 if self.coarse else COARSEST_STEPS)
        if not self.coarse:
            return x
        rest, coarse = list(map(operator.sub, b, multiply(self.rows, x))), [0.0] * len(self.coarse.rows)
        pairs = [(self.number[i, j], self.coarse.number[k, m], v * w) for i, along in enumerate(self.lines)
                 for j, up in enumerate(self.lines) for k, v in along.items() for m, w in up.items()]
        for fine, c, weight in pairs:
            coarse[c] += weight * rest[fine]
        coarse = self.coarse.cycle(coarse)
        for fine, c, weight in pairs:
            x[fine] += weight * coarse[c]
        return self.smooth(b, x, 2)


def multigrid(degree, side, corner):
    """Returns the function r -> z of one cycle of multigrid. First the degree is reduced, then the number of cells."""
    levels = []
    while True:
        count, cells, boundary, number = number_mesh(degree, side, corner)
        level = Level(degree, assemble(degree, count, cells)[0], boundary, number)
        if levels:
            levels[-1].coarse = level
        levels.append(level)
        if degree > 1:
            level.lines = interpolation(degree * side, degree - 1, side)
            degree -= 1
        elif side > CELLS_MIN:
            fine, side = side, (side + 1) // 2
            level.lines = interpolation(fine, 1, side)
            between = interpolation(side, 1, fine)
            corner = {(i, j): [sum(v * w * corner[x, y][d] for x, v in along.items() for y, w in up.items())
                               for d in (0, 1)]
                      for i, along in enumerate(between) for j, up in enumerate(between)}
        else:
            return levels[0].cycle


def conjugate_gradients(rows, load, boundary, precondition):
    """Returns the number of iterations until |r| <= RELATIVE |r0|, with the residual r. Also returns |r| / (RELATIVE
    |r0|) of the last two iterations."""
    free = [a for a in range(len(rows)) if a not in boundary]
    lists = [(a, list(rows[a].keys()), list(rows[a].values())) for a in free]
    r = [0.0 if a in boundary else v for a, v in enumerate(load)]
    bound = RELATIVE * math.sqrt(sum(v * v for v in r))
    z = precondition(r)
    p, rz, last = z, sum(map(operator.mul, r, z)), 0.0
    for iteration in range(1, 100000):
        Ap = [0.0] * len(r)
        for a, columns, values in lists:
            Ap[a] = sum(map(operator.mul, values, map(p.__getitem__, columns)))
        alpha = rz / sum(map(operator.mul, p, Ap))
        r = [v - alpha * w for v, w in zip(r, Ap)]
        norm = math.sqrt(sum(v * v for v in r))
        if norm <= bound:
            return iteration, last / bound, norm / bound
        last, z, before = norm, precondition(r), rz
        rz = sum(map(operator.mul, r, z))
        p = [v + rz / before * w for v, w in zip(z, p)]
    raise ValueError("no convergence")


def iterations(degree, solvers=SOLVERS, lines=LINES):
    side = lines // degree
    corner = make_corners(side)
    count, cells, boundary, _ = number_mesh(degree, side, corner)
    rows, load = assemble(degree, count, cells)
    free = [a for a in range(count) if a not in boundary]
    ways = {"cg": lambda: list,
            "dcg": lambda: lambda r: [0.0 if a in boundary else v / rows[a][a] for a, v in enumerate(r)],
            "ssor": lambda: ssor(rows, free, colours(rows)),
            "multigrid": lambda: multigrid(degree, side, corner),
            "ssor_natural": lambda: ssor(rows, free, range(count))}
    return {name: conjugate_gradients(rows, load, boundary, ways[name]()) for name in solvers}


def ssor_of_matrix(A, ranks):
    """As ssor, for a matrix of SciPy. Nodes with equal rank are not connected."""
    groups = [[a for a in range(A.shape[0]) if ranks[a] == rank] for rank in range(max(ranks) + 1)]
    rows, diagonal = [A[group] for group in groups], A.diagonal()

    def apply(r):
        z, later = 0 * r, 0 * r
        for group, part in zip(groups, rows):
            z[group] = (r[group] - part @ z) / diagonal[group]
        for group, part in zip(reversed(groups), reversed(rows)):
            z[group] -= part @ later / diagonal[group]
            later[group] = z[group]
        return z
    return apply


def natural_ssor_of_matrix(A):
    """As ssor_of_matrix, in the order of the matrix rows."""
    from scipy.sparse import tril
    from scipy.sparse.linalg import spsolve_triangular
    lower, diagonal = tril(A, format="csr"), A.diagonal()
    upper = lower.T.tocsr()
    return lambda r: spsolve_triangular(upper, diagonal * spsolve_triangular(lower, r), lower=False)


def iterations_by_scipy(degree, lines):
    """As iterations, for all solvers but multigrid, with products by SciPy."""
    import numpy
    import scipy.sparse
    side = lines // degree
    count, cells, boundary, _ = number_mesh(degree, side, make_corners(side))
    rows, load = assemble(degree, count, cells)
    free = [a for a in range(count) if a not in boundary]
    place = {a: k for k, a in enumerate(free)}
    entries = [(place[a], place[b], v) for a in free for b, v in rows[a].items() if b in place]
    i, j, values = zip(*entries)
    A, f = scipy.sparse.csr_matrix((values, (i, j))), numpy.array(load)[free]
    diagonal, colour = A.diagonal(), colours(rows)
    found = {}
    for name, precondition in (("cg", lambda r: r), ("dcg", lambda r: r / diagonal),
                               ("ssor", ssor_of_matrix(A, [colour[a] for a in free])),
                               ("ssor_natural", natural_ssor_of_matrix(A))):
        r, bound, last = f.copy(), RELATIVE * numpy.linalg.norm(f), 0.0
        p = z = precondition(r)
        rz = r @ z
        for iteration in range(1, 100000):
            Ap = A @ p
            r = r - rz / (p @ Ap) * Ap
            norm = numpy.linalg.norm(r)
            if norm <= bound:
                break
            last, z, before = norm, precondition(r), rz
            rz = r @ z
            p = z + rz / before * p
        found[name] = iteration, last / bound, norm / bound
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("degrees", nargs="*", type=int, metavar="DEGREE")
    parser.add_argument("--lines", type=int)
    parser.add_argument("--json")
    given = parser.parse_args()
    counts = {}
    for degree in given.degrees or (1, 2, 3, 4):
        found = iterations_by_scipy(degree, given.lines) if given.lines else iterations(degree)
        print(degree, ", ".join(f"{name} {count} ({before:.3f}, {after:.3f})"
                                for name, (count, before, after) in found.items()), flush=True)
        for name, (count, _, _) in found.items():
            counts.setdefault(name, []).append(count)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"lines": given.lines or LINES, "counts": counts}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
