export * from './codes.js';
export * from './svc-error.js';
