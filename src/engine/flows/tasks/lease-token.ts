import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** A token that proves who holds a task; a secret, shown once. */
export function newLeaseToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** What is stored of it: whoever reads the database cannot pose as the worker. */
export function hashLeaseToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
