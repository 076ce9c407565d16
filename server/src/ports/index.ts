export type * from './relay-store.js';
export type * from './relay-bus.js';
