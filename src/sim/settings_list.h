// The settings of a simulation, one row each. Macros expand this list into struct SimulationSettings (simulation.h),
// its defaults (settings.c) and tables of options (settings_rows.h). Checks, live changes, input log, checkpoint, panel
// and command line loop over these tables, so a new setting needs only a row here and the code that uses it.
//
//   NUMBER(key, default, range, unit, applies, tab, help)      double
//   MODULUS(...)                                               as NUMBER; a scene may give E and nu instead
//   INTEGER(key, default, range, unit, applies, tab, help)     int
//   CHOICE(key, type, default, choices, applies, tab, help)    enum `type`; `choices` has the names of its values,
//                                                              "a|b|c", in the order of the enum
//   FLAG(key, applies, tab, help)                              bool, false by default
//   CHOSEN_FLAG(key, applies, tab, help)                       bool, which a scene chooses if the user does not give it
//   VECTOR(key, unit, applies, tab, help)                      double [3], 0 by default
//   OPTIONAL(key, has, field, unit, applies, tab, help)        double `field`, used if bool `has` is set; default: no
//   NUMBER_OR(word, key, range, unit, applies, tab, help)      double, 0 by default; users write `word` in place of 0
//   STAGE(key, help)                                           char [SIMULATION_NAME]; "" selects the device's default
//   MATERIAL(key, help)                                        char [SIMULATION_NAME], by default the first material;
//                                                              a change takes effect as with ON_REBUILD
//   DEVICE(key)                                                Device, the CPU by default; the macro SETTING_DEVICE
//                                                              (settings_rows.h) gives the members of its Option
//
// `applies` says when a change takes effect: LIVE stands for APPLIES_LIVE of base/option.h, and so on. `range` also
// stands for a macro of that file: FROM_TO(1, 3) for OPTION_FROM_TO(1, 3). `tab` is the tab of the window's panel that
// shows the setting, with the ends of its slider: BODY(0, 1) or SOLVER(0, 1); NOWHERE: only the tab Scene shows it. The
// prefix ADVANCED_ marks settings that beginners do not need: ADVANCED_BODY(0, 1). RESTARTS_ marks settings whose edit
// in the tab Scene restarts the motion (OptionEdit).

// Settings of the elements, the material, masses, damping, gravity, and contact with friction.
INTEGER(degree, 1, FROM_TO(1, 3), NULL, TO_BODY, NOWHERE,
        "polynomial degree of the elements; 1: linear tets or hexes, 2: quadratic tets, 3: cubic tets")
MATERIAL(material, "material law of the body; `pliant info --all` lists all")
MODULUS(mu, lame_mu(1e5, 0.3), MORE_THAN(0), "Pa", LIVE, ADVANCED_BODY(1e-3, 1e12),
        "Lame constant mu (shear modulus) of the material")
MODULUS(lambda, lame_lambda(1e5, 0.3), ANY, "Pa", LIVE, ADVANCED_BODY(-1e12, 1e12),
        "Lame constant lambda of the material")
NUMBER(second_invariant, 0, FROM_TO(0, 1), NULL, LIVE, ADVANCED_BODY(0, 1),
       "for material mooney_rivlin: fraction of mu in the term with the second invariant")
NUMBER(density, 1000, MORE_THAN(0), "kg/m^3", LIVE, BODY(1e-3, 1e5), "density of the material at rest")
CHOICE(mass, MassKind, MASS_LUMPED, "lumped|consistent", ON_REBUILD, ADVANCED_NOWHERE,
       "mass matrix; lumped: diagonal, consistent: not diagonal, for more exact frequencies (tets only)")
NUMBER(damping, 0, AT_LEAST(0), "1/s", LIVE, BODY(0, 100),
       "coefficient of the damping force on each node, which is -damping * mass * velocity")
VECTOR(gravity, "X,Y,Z", LIVE, BODY(0, 0), "acceleration of gravity, m/s^2")
OPTIONAL(floor, has_floor, floor_height, "m", LIVE, BODY(0, 0),
         "adds a horizontal floor at this height along z; null: no floor")
NUMBER(friction, 0, AT_LEAST(0), NULL, LIVE, BODY(0, 2),
       "coefficient of Coulomb friction, for the floor and for self_contact")
CHOSEN_FLAG(self_contact, ON_REBUILD, RESTARTS_NOWHERE,
            "keep surfaces apart: no body intersects itself, another body or an obstacle; default: on in scenes with "
            "several bodies, an obstacle or a floor")
NUMBER(contact_distance, 0, AT_LEAST(0), "m", ON_REBUILD, ADVANCED_NOWHERE,
       "with self_contact: surfaces closer than this distance push each other; 0: automatic, at most a tenth of the "
       "mean edge length")
NUMBER(contact_modulus, 0, AT_LEAST(0), "Pa", ON_REBUILD, ADVANCED_NOWHERE,
       "with self_contact: stiffness of contact; 0: automatic, a tenth of Young's modulus")
NUMBER(friction_speed, 0, AT_LEAST(0), "m/s", LIVE, ADVANCED_NOWHERE,
       "with self_contact: friction is weaker below this sliding speed; 0: automatic, 1e-3 of the scene's extent per s")
CHOSEN_FLAG(friction_sticks, LIVE, ADVANCED_NOWHERE,
            "with self_contact: hold surfaces at rest by springs; if off, bodies creep on slopes; default: on in "
            "scenes with friction and without friction_speed")

// Settings of the time step, the integrator, Newton's method and conjugate gradients.
NUMBER(dt, 1.0 / 60, MORE_THAN(0), "s", LIVE, RESTARTS_SOLVER(1e-5, 1), "time step of the simulation")
CHOICE(integrator, Integrator, INTEGRATOR_AUTO, INTEGRATOR_NAMES, LIVE, SOLVER(0, 0),
       "time integrator; auto: euler_spin with a floor, an obstacle or self_contact, else midpoint")
CHOICE(newton, NewtonMethod, NEWTON_ROBUST, "robust|plain", LIVE, ADVANCED_SOLVER(0, 0),
       "Newton's method; robust: with line search, and a failed time step is repeated as shorter ones; plain: neither")
NUMBER(newton_absolute, 0, AT_LEAST(0), "kg m/s", LIVE, ADVANCED_NOWHERE,
       "Newton's method stops if the norm of its residual is below this value; 0: unused, newton_relative decides")
NUMBER(newton_relative, 5e-5, FROM_TO(0, 1), NULL, LIVE, ADVANCED_SOLVER(1e-12, 0.1),
       "Newton's method stops if its residual is below this factor times the summed norms of momentum and impulses")
INTEGER(newton_max, 60, FROM_TO(1, 1000), NULL, LIVE, ADVANCED_SOLVER(1, 100),
        "largest number of Newton iterations in a time step or load increment")
NUMBER_OR("auto", cg_relative, FROM_TO(1e-15, 0.999), NULL, ON_REBUILD, ADVANCED_SOLVER(1e-12, 0.5),
          "conjugate gradients (CG) stop at this fraction of the initial residual; auto: set in each Newton iteration")
INTEGER(cg_max, 5000, FROM_TO(1, 1e9), NULL, ON_REBUILD, ADVANCED_NOWHERE,
        "largest number of CG iterations in a linear solve")
CHOICE(first_guess, FirstGuess, FIRST_GUESS_AUTO, "state|velocity|extrapolated|rigid|auto", LIVE, ADVANCED_SOLVER(0, 0),
       "displacements at which Newton's method starts a time step; state: present state, velocity: moved by dt * "
       "velocity, extrapolated: moved as in the last time step, rigid: moved by the rigid motion of each free body; "
       "auto: first state; if the first Newton iteration then increases the residual, again from rigid")
INTEGER(halvings_max, 6, FROM_TO(0, 20), NULL, LIVE, ADVANCED_NOWHERE,
        "largest number of times that a failed time step is halved")

// Stages, the interchangeable methods of a simulation. The body's state is on `device`, matrix and solver on
// `solver_device`. An assembly may exist for one device only; it is searched on `device` first, then on the other
// device. Data are copied between stages on different devices.
DEVICE(device)
CHOICE(precision, Precision, PRECISION_F32, "float|double", ON_REBUILD, NOWHERE,
       "floating-point precision; float: 7 digits, double: 16 digits")
STAGE(assembly, "method that computes matrix and forces; `pliant info --all` lists all")
STAGE(matrix, "format in which the matrix is stored; `pliant info --all` lists all")
STAGE(solver, "method that solves linear systems; `pliant info --all` lists all")
CHOICE(supplemental, Supplemental, SUPPLEMENTAL_FULL, "full|qr", TO_STAGE, NOWHERE,
       "numbers that are stored for the rest shape of each tet; full: nine numbers, qr: six")
CHOICE(order, MeshOrder, ORDER_AUTO, MESH_ORDER_NAMES, TO_STAGE, NOWHERE,
       "order of the nodes in memory, which affects speed; node numbers in files stay those of the mesh")
CHOICE(partitioner, Partitioner, PARTITION_GREEDY, "greedy|metis", TO_STAGE, NOWHERE,
       "method that divides the mesh for the assembly method sharednz")
NUMBER(memory_budget, 0, AT_LEAST(0), "MB", TO_STAGE, NOWHERE,
       "largest GPU memory for element matrices in the assembly method globalnz; 0: no limit")
CHOICE(solver_device, SolverDevice, SOLVER_DEVICE_SAME, "same|cpu|cuda", TO_STAGE, NOWHERE,
       "device on which linear systems are stored and solved; same: the one that the option device selects")

#undef NUMBER
#undef MODULUS
#undef INTEGER
#undef CHOICE
#undef FLAG
#undef CHOSEN_FLAG
#undef VECTOR
#undef OPTIONAL
#undef NUMBER_OR
#undef STAGE
#undef MATERIAL
#undef DEVICE
