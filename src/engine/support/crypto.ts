/**
 * Node's crypto, loaded on first use: loading it takes 3 ms, and a search on a fresh index hashes nothing.
 */
export function crypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto');
}

/** A new secret: 256 random bits in characters that need no escaping anywhere. */
export function randomToken(): string {
  return crypto().randomBytes(32).toString('base64url');
}
