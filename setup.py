"""What pyproject.toml cannot say: the packages, the extension modules, and the bill of materials of a wheel."""

import gzip
import json
import os
import shutil
import sys
import sysconfig
import tarfile
import time
import uuid
from glob import glob
from pathlib import Path

import Cython
from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

# The folders are named for the people who work in them; one import name holds them together.
FOLDERS = {
    "keepwise": "solver",
    "keepwise.core": "csrc",
    "keepwise.cli": "cli",
    "keepwise.tables": "tables",
    "keepwise.page": "page",
}

# One wheel serves every CPython from 3.11 on, whose stable interface is the first with buffers; a free-threaded one has
# no such interface.
ABI3 = sys.version_info >= (3, 11) and not sysconfig.get_config_var("Py_GIL_DISABLED")
SHARED = "keepwise.core._shared"  # what Cython would write into every module again

# The same bits on every machine: no contraction into fused multiply-adds, no fast-math. `-fno-trapping-math` only
# says that nobody reads the floating-point exception flags, which lets comparisons become vector selects.
FLAGS = ["-O3", "-g0", "-std=c11", "-ffp-contract=off", "-fno-trapping-math"]
ON_WINDOWS = ["/O2", "/std:c11", *(f"/clang:{flag}" for flag in FLAGS[3:])]


def extension(name: str, sources: list[str]) -> Extension:
    """Describe a compiled module."""
    return Extension(
        name,
        sources,
        include_dirs=["csrc"],
        depends=sorted(glob("csrc/*.h")),
        define_macros=[("Py_LIMITED_API", "0x030B0000")] if ABI3 else [],
        extra_compile_args=ON_WINDOWS if sys.platform == "win32" else FLAGS,
        py_limited_api=ABI3,
    )


class Build(build_ext):
    """Translates and compiles side by side. What is translated stands in build/, not between the sources."""

    def build_extensions(self) -> None:
        """Build all modules."""
        translated = cythonize(
            self.extensions,
            nthreads=min(os.cpu_count() or 1, len(self.extensions)),
            build_dir="build",
            compiler_directives={"freethreading_compatible": True},
            shared_utility_qualified_name=SHARED,
        )
        for module, source in zip(self.extensions, translated, strict=True):
            module.sources = source.sources
        if self.compiler.compiler_type == "msvc":  # the kernels are written with the vector types of GCC and Clang
            self.compiler.initialize()
            self.compiler.cc = shutil.which("clang-cl") or sys.exit("building Keepwise on Windows needs clang-cl")
        self.parallel = True
        super().build_extensions()


class Sdist(sdist):
    """An archive of the same bytes on every day and machine; SOURCE_DATE_EPOCH dates it, as it does a wheel."""

    def make_archive(self, base_name: str, *_: object, base_dir: str, **__: object) -> str:
        """Write a tar.gz, whatever the format."""
        when = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))

        def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
            entry.mtime, entry.mode = when, 0o755 if entry.mode & 0o100 else 0o644
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            return entry

        name = f"{base_name}.tar.gz"
        with gzip.GzipFile(name, "wb", mtime=when) as packed, tarfile.open(mode="w", fileobj=packed) as archive:
            archive.add(base_dir, filter=plain)
        return name


class Wheel(bdist_wheel):
    """A wheel that says of what it is made, in CycloneDX, where PEP 770 looks for it."""

    def write_wheelfile(self, wheelfile_base: str, *args: str) -> None:
        """Write the bill beside the head of the wheel."""
        super().write_wheelfile(wheelfile_base, *args)
        meta = self.distribution.metadata
        this = {
            "type": "library",
            "bom-ref": f"pkg:pypi/{meta.name}@{meta.version}",
            "name": meta.name,
            "version": meta.version,
            "description": meta.description,
            "licenses": [{"license": {"id": "MIT"}}],
            "purl": f"pkg:pypi/{meta.name}@{meta.version}",
        }
        cython = {
            "type": "library",
            "bom-ref": f"pkg:pypi/cython@{Cython.__version__}",
            "name": "cython",
            "version": Cython.__version__,
            "description": "its runtime support is compiled into the extension modules",
            "licenses": [{"license": {"id": "Apache-2.0"}}],
            "purl": f"pkg:pypi/cython@{Cython.__version__}",
        }
        bill = {
            "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, this['purl'] + cython['purl'])}",
            "version": 1,
            "metadata": {"component": this},
            "components": [cython],
            "dependencies": [{"ref": this["purl"], "dependsOn": [cython["purl"]]}, {"ref": cython["purl"]}],
        }
        folder = Path(wheelfile_base, "sboms")
        folder.mkdir()
        (folder / "keepwise.cdx.json").write_text(json.dumps(bill, indent=1) + "\n")


setup(
    packages=[
        package
        for name, folder in FOLDERS.items()
        for package in (name, *(f"{name}.{below}" for below in find_packages(folder)))
    ],
    package_dir=FOLDERS,
    py_modules=["keepwise_check"],  # beside the package, of which it knows nothing
    # A module csrc/NAME.pyx wraps the files csrc/NAME_*.c, if there are any.
    ext_modules=[
        extension(f"keepwise.core.{Path(source).stem}", [source, *sorted(glob(f"{source.removesuffix('.pyx')}_*.c"))])
        for source in sorted(glob("csrc/*.pyx"))
    ]
    + [extension(SHARED, ["csrc/_shared.c"])],
    cmdclass={"build_ext": Build, "bdist_wheel": Wheel, "sdist": Sdist},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if ABI3 else {},
)
