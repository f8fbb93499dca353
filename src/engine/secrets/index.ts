// The door of this room, apart from check-secrets.ts (reads a configuration) and output-schemas.ts.
export { currentUser } from './path-safety.js';
export * from './resolve-secrets.js';
export { type SecretContext, SecretFault } from './secret-context.js';
