/** Door ".": frames, errors, limits and ids. Knows neither crypto nor what is sealed. */
export * from './content-limits.js';
export * from './errors.js';
export * from './ids.js';
export * from './limits.js';
export * from './names.js';
