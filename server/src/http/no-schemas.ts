/**
 * Our routes have no schemas, so neither of fastify's two compilers for them is loaded: they are half of what it takes
 * to start. Must not know a route.
 */
import type { FastifyServerOptions } from 'fastify';

function refuse(): never {
  throw new Error("Routes with schemas need fastify's own compilers.");
}

export const NO_SCHEMAS: Pick<FastifyServerOptions, 'schemaController'> = {
  schemaController: { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } },
};
