export type * from './chance.js';
export type * from './clock.js';
export type * from './notifier.js';
export type * from './peer-socket.js';
export type * from './relay-bus.js';
export type * from './relay-events.js';
export type * from './relay-store.js';
export * from './store-accounting.js';
