"""As much of Python 3.14's module of this name as Home Assistant uses, for Python 3.13."""

import enum
import inspect


class Format(enum.IntEnum):
    VALUE = 1
    VALUE_WITH_FAKE_GLOBALS = 2
    FORWARDREF = 3
    STRING = 4


def get_annotations(obj, *, globals=None, locals=None, eval_str=False, format=Format.VALUE):
    if format == Format.STRING:
        return inspect.get_annotations(obj)
    try:
        return inspect.get_annotations(obj, globals=globals, locals=locals, eval_str=True)
    except NameError:
        return inspect.get_annotations(obj)
