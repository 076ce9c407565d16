#!/bin/sh
# In the sources: what building needs. SQLite is compiled when no binary can be had.
set -eu
npm ci --no-audit --no-fund
