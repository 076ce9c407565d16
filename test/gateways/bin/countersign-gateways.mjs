#!/usr/bin/env node
/** Starts the gateways from their TypeScript sources, by the same loader that tests use. */
import '../../support/typescript-loader.mjs';

await import('../main.ts');
