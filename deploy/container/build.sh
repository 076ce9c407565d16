#!/bin/sh
# In the sources, after install.sh: the relay, what it needs, and the web app it can serve.
set -eu
node node_modules/typescript/bin/tsc -b server client-sdk
node server/build.mjs
node web/build.mjs
