#!/usr/bin/env bash
# Every check that needs a CUDA device, in one run of under four minutes, and one JSON of what it found. Needs torch with
# CUDA and Triton; torchvision, kornia and DALI are compared with where they are installed.
# Usage: benchmarks/device_check.sh [FILE]; with --dry, what can be done of it without a device, in a minute.
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONPATH="$PWD" NO_ALBUMENTATIONS_UPDATE=1
if [[ "${1:-}" == --dry ]]; then
  export TRITON_INTERPRET=1
  exec python benchmarks/device.py --dry "${@:2}"
fi
exec python benchmarks/device.py --json "${1:-benchmarks/results/device.json}"
