// The settings of a simulation, one row each. Macros expand this list into struct SimulationSettings (simulation.h),
// its defaults (settings.c) and tables of options (settings_rows.h): simulation_options and the keys of a scene.
// Checks, live changes, input log, checkpoint, panel and command line loop over these tables. So a new setting needs
// only a row, and the code that uses its value.
//
//   NUMBER(key, default, range, unit, applies, tab, help)      double
//   MODULUS(...)                                               as NUMBER; a scene may give E and nu instead
//   INTEGER(key, default, range, unit, applies, tab, help)     int
//   CHOICE(key, type, default, choices, applies, tab, help)    enum; its names are "a|b|c", in its order
//   FLAG(key, applies, tab, help)                              bool, false by default
//   VECTOR(key, unit, applies, tab, help)                      double [3], 0 by default
//   OPTIONAL(key, has, field, unit, applies, tab, help)        double `field`, used if bool `has`; false by default
//   NUMBER_OR(word, key, range, unit, applies, tab, help)      double; 0, the default, stands for the user's `word`
//   STAGE(key, help)                                           char [SIMULATION_NAME]; "" selects the device's default
//   MATERIAL(key, help)                                        char [SIMULATION_NAME], by default the first material;
//                                                              a change needs a rebuild
//   DEVICE(key)
//
// `applies` says when a change takes effect: LIVE stands for APPLIES_LIVE of base/option.h, and so on. `range` is a
// macro of that file too: FROM_TO(1, 3) stands for OPTION_FROM_TO(1, 3). `tab` is the tab of the window's panel that
// shows the setting, with the ends of the slider: BODY(0, 1) or SOLVER(0, 1); NOWHERE: the panel does not show it.

// material and world
INTEGER(degree, 1, FROM_TO(1, 3), NULL, TO_BODY, NOWHERE,
        "degree of the elements: 1 linear tets or hexes, 2 quadratic tets, 3 cubic tets")
MATERIAL(material, "material of the body; `pliant info --all` lists all")
MODULUS(mu, lame_mu(1e5, 0.3), MORE_THAN(0), "Pa", LIVE, BODY(1e-3, 1e12), "Lame mu (shear modulus)")
MODULUS(lambda, lame_lambda(1e5, 0.3), ANY, "Pa", LIVE, BODY(-1e12, 1e12), "Lame lambda")
NUMBER(second_invariant, 0, FROM_TO(0, 1), NULL, LIVE, BODY(0, 1),
       "Mooney-Rivlin: part of mu from the second invariant")
NUMBER(density, 1000, MORE_THAN(0), "kg/m^3", LIVE, BODY(1e-3, 1e5), "density at rest")
CHOICE(mass, MassKind, MASS_LUMPED, "lumped|consistent", ON_REBUILD, NOWHERE,
       "mass matrix: lumped at nodes, or consistent for more exact frequencies (tets only)")
NUMBER(damping, 0, AT_LEAST(0), "1/s", LIVE, BODY(0, 100), "damping coefficient: force -damping * mass * velocity")
VECTOR(gravity, "X,Y,Z", LIVE, BODY(0, 0), "acceleration of gravity, m/s^2")
OPTIONAL(floor, has_floor, floor_height, "m", LIVE, BODY(0, 0), "height of the floor along z; null: no floor")
NUMBER(friction, 0, AT_LEAST(0), NULL, LIVE, BODY(0, 2), "friction coefficient of the floor and of self_contact")
FLAG(self_contact, ON_REBUILD, NOWHERE, "contact within and between bodies: surfaces never intersect")
NUMBER(contact_distance, 0, AT_LEAST(0), "m", ON_REBUILD, NOWHERE,
       "distance at which self_contact begins to push; 0: from the mesh")
NUMBER(contact_modulus, 0, AT_LEAST(0), "Pa", ON_REBUILD, NOWHERE, "stiffness of self_contact; 0: Young's modulus / 10")
NUMBER(friction_speed, 0, AT_LEAST(0), "m/s", LIVE, NOWHERE,
       "speed below which self_contact friction lets surfaces creep; 0: 1e-3 extents per second")
FLAG(friction_sticks, LIVE, NOWHERE, "static friction of self_contact by springs, without creep")

// time and tolerances
NUMBER(dt, 1.0 / 60, MORE_THAN(0), "s", LIVE, SOLVER(1e-5, 1), "time step")
CHOICE(integrator, Integrator, INTEGRATOR_AUTO, INTEGRATOR_NAMES, LIVE, SOLVER(0, 0),
       "time integrator; auto: midpoint, or euler_spin with contact")
CHOICE(newton, NewtonMethod, NEWTON_ROBUST, "robust|plain", LIVE, SOLVER(0, 0),
       "Newton's method; robust: line search and fallbacks, plain: full steps only")
NUMBER(newton_absolute, 0, AT_LEAST(0), "kg m/s", LIVE, NOWHERE,
       "absolute tolerance of Newton's method; 0: only the relative one")
NUMBER(newton_relative, 5e-5, FROM_TO(0, 1), NULL, LIVE, SOLVER(1e-12, 0.1), "relative tolerance of Newton's method")
INTEGER(newton_max, 20, FROM_TO(1, 1000), NULL, LIVE, SOLVER(1, 100), "max Newton iterations per step")
NUMBER_OR("auto", cg_relative, FROM_TO(1e-15, 0.999), NULL, ON_REBUILD, SOLVER(1e-12, 0.5),
          "CG tolerance ||r|| / ||r0||; auto: from Newton's residual")
INTEGER(cg_max, 5000, FROM_TO(1, 1e9), NULL, ON_REBUILD, NOWHERE, "max CG iterations per solve")
CHOICE(first_guess, FirstGuess, FIRST_GUESS_AUTO, "state|velocity|extrapolated|rigid|auto", LIVE, SOLVER(0, 0),
       "displacements at which Newton's method starts a step: present state, state + dt * velocity, state + last "
       "change, or rigid motion of each free body; auto: state, and rigid if the first full step fails")
INTEGER(halvings_max, 6, FROM_TO(0, 20), NULL, LIVE, NOWHERE, "max halvings of a step that fails")

// Stages, the interchangeable methods. The body's state is on `device`, matrix and solver are on `solver_device`. The
// named assembly may exist for one device only: it is searched for on `device` first, then on the other one. Data are
// copied between devices if needed.
DEVICE(device)
CHOICE(precision, Precision, PRECISION_F32, "float|double", ON_REBUILD, NOWHERE,
       "precision of all methods: float has 7 digits, double 16")
STAGE(assembly, "assembly method; `pliant info --all` lists all")
STAGE(matrix, "matrix format; `pliant info --all` lists all")
STAGE(solver, "linear solver; `pliant info --all` lists all")
CHOICE(supplemental, Supplemental, SUPPLEMENTAL_FULL, "full|qr", TO_STAGE, NOWHERE,
       "stored data of a tet at rest: nine numbers, or six by QR")
CHOICE(order, MeshOrder, ORDER_AUTO, MESH_ORDER_NAMES, TO_STAGE, NOWHERE,
       "order of the nodes in memory; files keep their numbers")
CHOICE(partitioner, Partitioner, PARTITION_GREEDY, "greedy|metis", TO_STAGE, NOWHERE,
       "mesh partitioner of assembly sharednz")
NUMBER(memory_budget, 0, AT_LEAST(0), "MB", TO_STAGE, NOWHERE,
       "GPU memory for element data of assembly globalnz, which works in chunks; 0: no limit")
CHOICE(solver_device, SolverDevice, SOLVER_DEVICE_SAME, "same|cpu|cuda", TO_STAGE, NOWHERE,
       "device of matrix and solver")

#undef NUMBER
#undef MODULUS
#undef INTEGER
#undef CHOICE
#undef FLAG
#undef VECTOR
#undef OPTIONAL
#undef NUMBER_OR
#undef STAGE
#undef MATERIAL
#undef DEVICE
