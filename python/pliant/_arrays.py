"""Arrays in the memory of a GPU: DeviceArray, which cupy, torch and JAX read without a copy, and arrays that they pass."""
import ctypes

import numpy

from . import _library
from .errors import BadArgument

CUDA = 2  # kDLCUDA, the type of device in the standard DLPack
FLOAT = 2  # kDLFloat, the type of number in DLPack


class _Tensor(ctypes.Structure):
    """The C struct DLTensor of DLPack."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    """The C struct DLManagedTensor: a tensor, and a function that its consumer calls when it no longer needs it."""


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]
_Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, _Destructor]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p]
_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]

# By the address of its _Managed, each tensor that a consumer can still read, with the arrays that its memory belongs to.
_exported = {}


@_Deleter
def _delete(managed):
    """Called by the consumer of a capsule."""
    _exported.pop(ctypes.addressof(managed.contents), None)


@_Destructor
def _destroy(capsule):
    """Called when a capsule ends. A consumer renames the capsule that it takes, and later calls _delete."""
    if _is_valid(capsule, b"dltensor"):
        _exported.pop(_get_pointer(capsule, b"dltensor"), None)


class Stream(int):
    """The address of a CUDA stream, as torch takes it. cupy takes it by the protocol __cuda_stream__."""

    def __cuda_stream__(self):
        return 0, int(self)  # version of the protocol, address


class DeviceArray:
    """An array of float32 on the GPU with the number `device`. cupy, torch and JAX read it without a copy, through __cuda_array_interface__ or
    __dlpack__: cupy.asarray(a), torch.from_dlpack(a), jax.dlpack.from_dlpack(a). It shows the library's memory, which
    the next call for the same field changes; do not write to it, unless it is the argument `force` of the function of
    Simulation.record_force."""

    def __init__(self, owner, view, read_only=True):
        self._owner = owner  # keeps the memory alive
        self._address = view.data
        self.device = view.device
        self.shape = tuple(view.shape)
        self.__cuda_array_interface__ = {
            "shape": self.shape,
            "typestr": _library.TYPES[view.type],
            "data": (view.data, read_only),
            "strides": None,
            "version": 3,
        }

    def __dlpack_device__(self):
        return CUDA, self.device

    def __dlpack__(self, **options):
        """Returns the array as a capsule of DLPack. The array is complete, or will be for the stream that the caller of
        field has named, so the streams in `options` need not wait."""
        shape = (ctypes.c_int64 * 2)(*self.shape)
        managed = _Managed()
        managed.tensor = _Tensor(data=self._address, device_type=CUDA, device=self.device, ndim=2, code=FLOAT, bits=32,
                                 lanes=1, shape=ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64)))
        managed.deleter = _delete
        address = ctypes.addressof(managed)
        _exported[address] = managed, shape, self
        return _new_capsule(address, b"dltensor", _destroy)


def host_view(values, name):
    """Returns an array on the host as numbers of the library, and its View."""
    array = numpy.asarray(values)
    array = numpy.ascontiguousarray(array, numpy.float32 if array.dtype == numpy.float32 else numpy.float64)
    view = _library.View(size=ctypes.sizeof(_library.View), data=array.ctypes.data, device=_library.HOST,
                         type=_type_of(array.dtype), shape=_shape_of(array.shape, name))
    return array, view


def device_view(values, device, name):
    """Returns the View of an array with __cuda_array_interface__. device: the GPU of the simulation, or -1. Raises
    BadArgument if the library cannot read the array."""
    if device == _library.HOST:
        raise BadArgument(f'field "{name}": the array is on a GPU, but the simulation is on the CPU; pass a copy in the '
                          "memory of the CPU")
    there = values.__dlpack_device__()[1] if hasattr(values, "__dlpack_device__") else device
    if there != device:
        raise BadArgument(f'field "{name}": the array is on GPU {there}, but the simulation is on GPU {device}; pass a '
                          f"copy in the memory of GPU {device}")
    facts = values.__cuda_array_interface__
    dtype, shape, strides = numpy.dtype(facts["typestr"]), tuple(facts["shape"]), facts.get("strides")
    if dtype not in (numpy.float32, numpy.float64):
        raise BadArgument(f'field "{name}": the array has the type {dtype}, expected float32 or float64')
    if strides is not None and tuple(strides) != numpy.empty((1,) + shape[1:], dtype).strides:
        raise BadArgument(f'field "{name}": the array is not contiguous; pass a contiguous copy')
    return _library.View(size=ctypes.sizeof(_library.View), data=facts["data"][0], device=device, type=_type_of(dtype),
                         shape=_shape_of(shape, name), stream=facts.get("stream"))


def _type_of(dtype):
    return next(number for number, name in _library.TYPES.items() if numpy.dtype(name) == dtype)


def _shape_of(shape, name):
    if len(shape) != 2:
        raise BadArgument(f'field "{name}": the array has the shape {list(shape)}, expected [nodes][3]')
    return shape
