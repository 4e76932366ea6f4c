#!/bin/sh
# Build the sdist and, from it, the wheel; install that into an empty environment; ask it from another folder.
set -eu
python=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m build --outdir "$work/dist" . >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
"$python" -m venv "$work/env"
"$work/env/bin/python" -m pip install -q --disable-pip-version-check "$work"/dist/keepwise-*.whl
cd "$work"
HOME="$work" XDG_CACHE_HOME="$work/cache" "$work/env/bin/keepwise" advise 5000 --score 2000 --opponents 3500 --turn 300 --roll 11532
test ! -e "$work/cache" || { echo "the default question was not answered from the shipped table"; exit 1; }
echo "smoke: the wheel answers"
