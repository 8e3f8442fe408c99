#!/usr/bin/env bash
# Writes packages/etcd-client/src/protocol/generated from the .proto files beside it, offline.
# With --check it changes nothing and fails when the committed files are not what would be written.
set -euo pipefail

cd "$(dirname "$0")/../packages/etcd-client/src/protocol"
export PATH="$PWD/../../../../node_modules/.bin:$PATH"

if [[ "${1:-}" != "--check" ]]; then
  buf generate
  exit
fi

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
buf generate --output "$fresh"
if ! diff -ru generated "$fresh/generated" >&2; then
  echo "packages/etcd-client/src/protocol/generated is stale: run scripts/generate-etcd-protocol.sh" >&2
  exit 1
fi
