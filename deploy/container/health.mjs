/** The container's health check: is the relay ready, as its second listener says. Exits 0 or 1. */
import { get } from 'node:http';
import { env, exit } from 'node:process';

const port = Number(env.COUNTERSIGN_RELAY_OPS_PORT || 8788);
const TIMEOUT_MS = 4_000;

const request = get({ host: '127.0.0.1', port, path: '/readyz', timeout: TIMEOUT_MS }, (response) => {
  response.resume();
  response.once('end', () => exit(response.statusCode === 200 ? 0 : 1));
});
request.once('timeout', () => exit(1));
request.once('error', () => exit(1));
