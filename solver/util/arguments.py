"""Validation of the arguments of public functions, by their annotations.

``validate_arguments`` decorates a function. Each argument whose annotation has a validator in ``VALIDATORS`` is then
validated and converted before the call, so that numbers may be given as people or NumPy write them. Anything wrong
raises an InputError that names the argument. The function itself validates arguments with other annotations, such as
``Any``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from numbers import Real
from pathlib import Path, PurePath
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from .errors import InputError, abbreviate
from .integers import parse_whole_number

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Validator = Callable[[object, str], object]  # from a value and the argument's name to the converted value

INVALID_FILE_NAME = "not a valid file name"


def _stars(parameter: Parameter) -> int:
    """Return how many stars a signature writes before a parameter: 2 for any options, 1 for any arguments."""
    return 2 if parameter.kind is Parameter.VAR_KEYWORD else int(parameter.kind is Parameter.VAR_POSITIONAL)


def validate_arguments(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate a function so that its arguments are validated and converted before each call.

    Annotations must be strings, as ``from __future__ import annotations`` makes them. A call of the decorated function
    raises InputError if an argument is not what its annotation says, and TypeError if arguments do not fit its
    parameters.
    """

    # The validators are looked up in the first call, not here, since other packages add some when they are imported.
    @cache
    def inspect_signature() -> tuple[Signature, dict[str, Validator]]:
        """Return the signature of the function, and the validators of its parameters that have one, by name."""
        function_signature = signature(function)
        validators: dict[str, Validator] = {}
        for name, parameter in function_signature.parameters.items():
            validator = _find_validator(str(parameter.annotation))
            if validator is not None:
                validators[name] = validator
        return function_signature, validators

    @wraps(function)
    def call(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
        """Call the function with validated and converted arguments."""
        function_signature, validators = inspect_signature()
        try:
            bound = function_signature.bind(*args, **options)  # arguments by the names of their parameters
        except TypeError as error:
            names = ("*" * _stars(one) + name for name, one in function_signature.parameters.items())
            raise TypeError(f"{function.__name__}: {error}; its arguments are {', '.join(names)}") from None
        for name, value in bound.arguments.items():
            validator = validators.get(name)
            if validator is not None:
                parameter = function_signature.parameters[name]
                bound.arguments[name] = _validate_argument(value, parameter, validator)
        return function(*bound.args, **bound.kwargs)

    return call


def _validate_argument(value: Any, parameter: Parameter, validate: Validator) -> object:
    """Return the converted value of a parameter, or raise InputError; of ``*args`` and ``**kwargs`` convert every item.

    Args:
        value: the value; for ``*args`` a tuple and for ``**kwargs`` a dict.
        parameter: the parameter, whose name a message contains; for ``**kwargs`` that is the key of the item.
        validate: the validator of its annotation, called with a value and a name.
    """
    if parameter.kind is Parameter.VAR_POSITIONAL:
        return tuple(validate(item, parameter.name) for item in value)
    if parameter.kind is Parameter.VAR_KEYWORD:
        return {key: validate(item, key) for key, item in value.items()}
    return validate(value, parameter.name)


def _find_validator(annotation: str) -> Validator | None:
    """Return the validator for an annotation, or None if there is none.

    ``X[...]`` has the validator of ``X``. ``X | None`` has one that also allows None.

    Args:
        annotation: the annotation of a parameter as text.
    """
    kind, none_suffix, _ = annotation.partition(" | None")
    allows_none = none_suffix != ""
    matching_validators = (
        validator for key, validator in VALIDATORS.items() if kind == key or kind.startswith(f"{key}[")
    )
    validate = next(matching_validators, None)
    if validate is None or not allows_none:
        return validate

    def validate_unless_none(value: object, name: str) -> object:
        """Return None unchanged, and validate any other value."""
        return None if value is None else validate(value, name)

    return validate_unless_none


def make_module_callable(module_name: str, function: Callable[..., Any]) -> None:
    """Let the module of a package be called like a function of the same name.

    For example, ``keepwise.games`` is a function and a package. As soon as the package is imported, Python binds its
    module to that name in place of the function. So ``keepwise.games(...)`` works in both cases only if the module can
    be called. Python looks up ``__call__`` in the class of an object, so the module gets a class that has it.

    Args:
        module_name: the full name of the package, which has been imported.
        function: the function that a call of the module calls.
    """
    callable_module = type("CallableModule", (ModuleType,), {"__call__": staticmethod(function)})
    sys.modules[module_name].__class__ = callable_module


def _validate_text(value: object, name: str) -> str:
    """Return a text unchanged; raise InputError, with the name of the argument, for any other value."""
    if not isinstance(value, str):
        raise InputError(f"{name} must be text, not {abbreviate(value)}")
    return value


def _validate_number(value: object, name: str) -> float:
    """Return a finite number as a float; raise InputError, with the name of the argument, for any other value.

    True and False, infinity, NaN and whole numbers beyond the range of floats are not allowed.
    """
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    try:
        number = float(value) if is_number else math.nan  # type: ignore[arg-type]
    except OverflowError:  # a whole number beyond the range of floats
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{name} must be a number, not {abbreviate(value)}")
    return number


def _validate_flag(value: object, name: str) -> bool:
    """Return the truth value of a value; raise InputError, with the name of the argument, if it has none."""
    try:
        return bool(value)
    except ValueError:  # a NumPy array of several numbers
        raise InputError(f"{name} must be true or false, not {abbreviate(value)}") from None


def _validate_function(value: object, name: str) -> object:
    """Return a function unchanged; raise InputError, with the name of the argument, for any other value."""
    if not callable(value):
        raise InputError(f"{name} must be a function, not {abbreviate(value)}")
    return value


def is_iterable(value: object) -> bool:
    """Return whether a value can be iterated over; a NumPy array without dimensions cannot, in spite of its type."""
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0


def _validate_iterable(value: object, name: str) -> Iterable[object]:
    """Return an iterable unchanged; raise InputError, with the name of the argument, for text and any other value.

    Text is refused, because its single characters are never meant.
    """
    if not is_iterable(value) or isinstance(value, (str, bytes)):
        raise InputError(f"{name} must be a list or another iterable, not {abbreviate(value)}")
    assert isinstance(value, Iterable)
    return value


def to_path(value: object) -> Path:
    """Return a value as a path.

    Raises:
        InputError: it is not the name of a file.
    """
    try:
        return Path(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{abbreviate(value)}: {INVALID_FILE_NAME}") from None


def _validate_path(value: object, name: str) -> object:
    """Return a path or its text unchanged, and any other value as a path; raise InputError if it is not one.

    Args:
        value: the value.
        name: not used, because the message shows the value only.
    """
    return value if isinstance(value, (str, PurePath)) else to_path(value)


# By annotation. Other packages add validators for their own types.
VALIDATORS: dict[str, Validator] = {
    "int": parse_whole_number,
    "float": _validate_number,
    "str": _validate_text,
    "bool": _validate_flag,
    "Callable": _validate_function,
    "Progress": _validate_function,
    "Iterable": _validate_iterable,
    "Sequence": _validate_iterable,
    "str | os.PathLike": _validate_path,
}
