"""The extension modules; everything else about the package stands in pyproject.toml."""

import sys
from glob import glob

from setuptools import Extension, setup

# The same bits on every machine: no contraction into fused multiply-adds, no fast-math. `-fno-trapping-math` only
# says that nobody reads the floating-point exception flags, which lets comparisons become vector selects.
FLAGS = (
    ["/O2", "/fp:precise"]
    if sys.platform == "win32"
    else ["-O3", "-std=c11", "-ffp-contract=off", "-fno-trapping-math"]
)


def extension(name: str, *c_files: str) -> Extension:
    """Describe the module csrc/NAME.pyx with the C files that it wraps."""
    return Extension(
        f"keepwise.core.{name}",
        [f"csrc/{name}.pyx", *(f"csrc/{c_file}" for c_file in c_files)],
        include_dirs=["csrc"],
        depends=sorted(glob("csrc/*.h")),
        extra_compile_args=FLAGS,
    )


setup(
    ext_modules=[
        extension("multiset"),
        extension("push", "push_kernel.c"),
        extension("race", "race_kernel.c"),
        extension("seats", "seats_kernel.c"),
        extension("keep", "keep_kernel.c"),
        extension("touch", "touch_kernel.c"),
    ]
)
