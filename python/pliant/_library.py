"""Functions of libpliant: loads the library and declares the functions of pliant.h."""
import ctypes
import os
import pathlib
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint, c_uint64, c_void_p

HOST = -1
CELLS = {4: 0, 10: 1, 8: 2, 3: 3}  # nodes of a cell -> pliant_cell
(OK, BAD_ARGUMENT, BAD_FILE, NO_MEMORY, NO_DEVICE, STEP_FAILED, STOPPED, NOT_NOW) = range(8)
TYPES = {0: "<f4", 1: "<f8", 2: "<i4"}  # pliant_type -> type of numpy


class View(ctypes.Structure):
    """The C struct pliant_view."""
    _fields_ = [("size", c_size_t), ("data", c_void_p), ("device", c_int32), ("type", c_int32), ("shape", c_int64 * 2),
                ("generation", c_uint64), ("stream", c_void_p)]


class Report(ctypes.Structure):
    """The C struct pliant_report."""
    _fields_ = [("size", c_size_t), ("step", c_int64), ("time", c_double), ("converged", c_int),
                ("newton_iterations", c_int), ("cg_iterations", c_int), ("substeps", c_int), ("residual", c_double),
                ("tolerance", c_double), ("min_J", c_double), ("cause", c_char_p)]


class OptionInfo(ctypes.Structure):
    """The C struct pliant_option_info."""
    _fields_ = [("size", c_size_t), ("key", c_char_p), ("type", c_char_p), ("unit", c_char_p), ("choices", c_char_p),
                ("help", c_char_p), ("applies", c_char_p), ("low", c_double), ("high", c_double)]


class FieldInfo(ctypes.Structure):
    """The C struct pliant_field_info."""
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("unit", c_char_p), ("help", c_char_p), ("per", c_char_p),
                ("components", c_int), ("type", c_int), ("on_device", c_int), ("can_put", c_int)]


class ObservableInfo(ctypes.Structure):
    """The C struct pliant_observable_info."""
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("unit", c_char_p), ("help", c_char_p), ("subject", c_char_p),
                ("components", c_int)]


LOG = CFUNCTYPE(None, c_char_p, c_void_p)
PROGRESS = CFUNCTYPE(None, c_char_p, c_double, c_void_p)
STOP = CFUNCTYPE(c_int, c_void_p)
FORCE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
HANDLE = c_void_p

# For each C function, the types of its result and of its arguments. Functions are in the order of pliant.h.
FUNCTIONS = {
    "pliant_version": (c_char_p, []),
    "pliant_error": (c_char_p, []),
    "pliant_status_name": (c_char_p, [c_int]),
    "pliant_device_count": (c_int, []),
    "pliant_set_log": (None, [LOG, c_void_p]),
    "pliant_set_threads": (c_int, [c_int]),
    "pliant_scene_create": (c_int, [POINTER(HANDLE)]),
    "pliant_scene_open": (c_int, [POINTER(HANDLE), c_char_p]),
    "pliant_scene_parse": (c_int, [POINTER(HANDLE), c_char_p, c_char_p]),
    "pliant_scene_copy": (c_int, [POINTER(HANDLE), HANDLE]),
    "pliant_scene_destroy": (None, [HANDLE]),
    "pliant_scene_set": (c_int, [HANDLE, c_char_p, c_char_p]),
    "pliant_scene_add": (c_int, [HANDLE, c_char_p, c_char_p]),
    "pliant_scene_print": (c_int, [HANDLE, c_char_p, c_size_t, POINTER(c_size_t)]),
    "pliant_scene_listen": (c_int, [HANDLE, PROGRESS, LOG, c_void_p]),
    "pliant_scene_add_mesh": (c_int, [HANDLE, c_char_p, c_int, c_int64, c_void_p, c_int64, c_void_p, c_char_p,
                                      POINTER(c_int)]),
    "pliant_option": (c_int, [c_int, POINTER(OptionInfo)]),
    "pliant_sim_create": (c_int, [POINTER(HANDLE), HANDLE]),
    "pliant_sim_clone": (c_int, [POINTER(HANDLE), c_int, HANDLE]),
    "pliant_sim_destroy": (None, [HANDLE]),
    "pliant_set": (c_int, [HANDLE, c_char_p, c_char_p]),
    "pliant_get": (c_int, [HANDLE, c_char_p, c_char_p, c_size_t, POINTER(c_size_t)]),
    "pliant_step": (c_int, [HANDLE, c_int]),
    "pliant_step_many": (c_int, [POINTER(HANDLE), c_int, c_int, POINTER(c_int)]),
    "pliant_equilibrium": (c_int, [HANDLE]),
    "pliant_reset": (c_int, [HANDLE]),
    "pliant_reset_many": (c_int, [POINTER(HANDLE), c_int, c_void_p, POINTER(c_int)]),
    "pliant_get_report": (c_int, [HANDLE, POINTER(Report)]),
    "pliant_set_interrupt": (c_int, [HANDLE, STOP, c_void_p]),
    "pliant_listen": (c_int, [HANDLE, PROGRESS, LOG, c_void_p]),
    "pliant_save": (c_int, [HANDLE, c_void_p, c_size_t, POINTER(c_size_t)]),
    "pliant_load": (c_int, [HANDLE, c_void_p, c_size_t]),
    "pliant_write": (c_int, [HANDLE, c_char_p]),
    "pliant_field_row": (c_int, [c_int, POINTER(FieldInfo)]),
    "pliant_field": (c_int, [HANDLE, c_char_p, c_int, POINTER(View)]),
    "pliant_field_on": (c_int, [HANDLE, c_char_p, c_void_p, POINTER(View)]),
    "pliant_field_many": (c_int, [POINTER(HANDLE), c_int, c_char_p, c_void_p, c_size_t]),
    "pliant_put": (c_int, [HANDLE, c_char_p, POINTER(View)]),
    "pliant_record_force": (c_int, [HANDLE, FORCE, c_void_p]),
    "pliant_generation": (c_uint64, [HANDLE]),
    "pliant_sim_device": (c_int, [HANDLE]),
    "pliant_observable": (c_int, [c_int, POINTER(ObservableInfo)]),
    "pliant_observe": (c_int, [HANDLE, POINTER(c_char_p), c_int, POINTER(c_double), c_int]),
    "pliant_find": (c_int, [HANDLE, c_char_p, c_void_p, c_int64, POINTER(c_int64)]),
    "pliant_hold": (c_int, [HANDLE, c_void_p, c_int64, c_uint]),
    "pliant_grab": (c_int, [HANDLE, c_void_p, c_double, c_double, POINTER(c_int)]),
    "pliant_grab_nodes": (c_int, [HANDLE, c_void_p, c_int64, c_double, POINTER(c_int)]),
    "pliant_grab_to": (c_int, [HANDLE, c_int, c_void_p]),
    "pliant_grab_put": (c_int, [HANDLE, c_int, c_void_p, c_int64, c_void_p]),
    "pliant_release": (c_int, [HANDLE, c_int]),
    "pliant_obstacle_to": (c_int, [HANDLE, c_int, c_void_p, c_void_p]),
    "pliant_cut": (c_int, [HANDLE, c_void_p, c_void_p, c_double, POINTER(c_int)]),
}


def load():
    """Loads the library that the environment variable PLIANT_LIBRARY names. Without this variable, loads the library
    from this package's folder if it is there, otherwise from the system's library path."""
    found = sorted(pathlib.Path(__file__).parent.glob("libpliant.so*"))
    name = os.environ.get("PLIANT_LIBRARY") or (str(found[0]) if found else "libpliant.so.0")
    try:
        library = ctypes.CDLL(name)
    except OSError as fault:
        raise ImportError(f"libpliant cannot be loaded: {fault}; set the environment variable PLIANT_LIBRARY to the "
                          "path of libpliant.so.0") from None
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class _Found(ctypes.Structure):
    """The C struct Dl_info, which dladdr fills."""
    _fields_ = [("file", c_char_p), ("base", c_void_p), ("symbol", c_char_p), ("address", c_void_p)]


def path(library):
    """Returns the path of the loaded library, without symbolic links. Returns None if the system cannot name it."""
    found = _Found()
    address = ctypes.cast(library.pliant_version, c_void_p)
    dladdr = ctypes.CDLL(None).dladdr
    dladdr.argtypes = [c_void_p, POINTER(_Found)]
    if not dladdr(address, ctypes.byref(found)) or not found.file:
        return None
    return pathlib.Path(os.fsdecode(found.file)).resolve()
