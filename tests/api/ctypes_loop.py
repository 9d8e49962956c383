"""ctypes_loop.py LIBRARY PIPELINE: pulls a pipeline's batches with nothing but ctypes, and looks
whether they are right. The pipeline gives 10 samples `label` 0 to 9 and `x` [4] in batches of 4."""
import ctypes as c
import json
import sys


class DLTensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32),
                ("ndim", c.c_int32), ("code", c.c_uint8), ("bits", c.c_uint8),
                ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)),
                ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


class DLManagedTensor(c.Structure):
    pass


DLManagedTensor._fields_ = [("dl_tensor", DLTensor), ("manager_ctx", c.c_void_p),
                            ("deleter", c.CFUNCTYPE(None, c.POINTER(DLManagedTensor)))]


def library(path):
    lib = c.CDLL(path)
    pointer, text = c.c_void_p, c.c_char_p
    for name, result, arguments in [
            ("version", text, []), ("error", text, []), ("load", pointer, [text]),
            ("free_pipeline", None, [pointer]), ("start", pointer, [pointer]),
            ("free_run", None, [pointer]),
            ("next", c.c_int, [pointer, c.POINTER(pointer)]), ("free_batch", None, [pointer]),
            ("batch_size", c.c_size_t, [pointer]), ("field_count", c.c_size_t, [pointer]),
            ("field_name", text, [pointer, c.c_size_t]),
            ("field_tensor", c.POINTER(DLManagedTensor), [pointer, c.c_size_t]),
            ("field_text", text, [pointer, c.c_size_t, c.c_size_t, c.POINTER(c.c_size_t)]),
            ("report", text, [pointer])]:
        function = getattr(lib, "penstock_" + name)
        function.restype, function.argtypes = result, arguments
    return lib


def labels_of(lib, batch):
    names = [lib.penstock_field_name(batch, i) for i in range(lib.penstock_field_count(batch))]
    managed = lib.penstock_field_tensor(batch, names.index(b"label"))
    assert lib.penstock_field_text(batch, names.index(b"label"), 0, c.c_size_t()) is None
    assert lib.penstock_field_tensor(batch, 99).__bool__() is False
    lib.penstock_free_batch(batch)  # the tensor lives on
    tensor = managed.contents.dl_tensor
    assert (tensor.code, tensor.bits, tensor.lanes, tensor.device_type) == (0, 64, 1, 1)
    assert tensor.ndim == 1 and tensor.strides[0] == 1
    values = list(c.cast(tensor.data, c.POINTER(c.c_int64))[:tensor.shape[0]])
    managed.contents.deleter(managed)
    return values


def main(path, pipeline_path):
    lib = library(path)
    assert lib.penstock_version() == b"0.1.0"
    assert lib.penstock_load(b"none.yaml") is None
    assert b"none.yaml: error[cannot-read]" in lib.penstock_error(), lib.penstock_error()
    pipeline = lib.penstock_load(pipeline_path.encode())
    assert pipeline, lib.penstock_error()
    run = lib.penstock_start(pipeline)
    lib.penstock_free_pipeline(pipeline)
    labels, batch, ends = [], c.c_void_p(), 0
    while (kind := lib.penstock_next(run, c.byref(batch))) != 2:
        assert kind >= 0, lib.penstock_error()
        ends += kind == 1
        if kind == 0:
            assert lib.penstock_batch_size(batch) in (2, 4)
            labels.append(labels_of(lib, batch))
    report = json.loads(lib.penstock_report(run))
    lib.penstock_free_run(run)
    assert labels == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]] and ends == 1, labels
    assert report["window"]["examples"] == 10, report


main(*sys.argv[1:])
