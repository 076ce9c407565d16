#!/bin/sh
# In the sources, after build.sh: puts into the directory named everything that runs, and nothing that builds.
set -eu
out=$1
app=$out/opt/countersign
mkdir -p "$app" "$out/data"
cp package.json package-lock.json "$app"
for workspace in protocol server agent-sdk client-sdk test deploy web; do
  mkdir -p "$app/$workspace"
  cp "$workspace/package.json" "$app/$workspace"
done
cp -R protocol/dist "$app/protocol"
cp -R server/dist server/bin server/app "$app/server"
cp deploy/container/health.mjs "$app"

# Compiled already in this directory; the binary is copied, not made twice.
sqlite=node_modules/better-sqlite3/build/Release/better_sqlite3.node
(cd "$app" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund -w @countersign/protocol -w @countersign/server)
mkdir -p "$app/$(dirname "$sqlite")"
cp "$sqlite" "$app/$sqlite"
rm -rf "$app/node_modules/better-sqlite3/deps" "$app/node_modules/better-sqlite3/src"
for workspace in agent-sdk client-sdk test deploy web; do
  rm -rf "${app:?}/$workspace" "$app/node_modules/@countersign/$workspace"
done
rm -f "$app/package-lock.json"
# Anyone may read it, nobody needs to write it.
chmod -R a+rX,go-w "$app"
