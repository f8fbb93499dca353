export * from './codes.js';
export * from './network-words.js';
export * from './svc-error.js';
