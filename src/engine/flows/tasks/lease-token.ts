import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/**
 * A token that proves who holds a task; a secret, shown once. It never begins with a dash, which would
 * make a flag of it.
 */
export function newLeaseToken(): string {
  return `lt_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
}

/** What is stored of it: whoever reads the database cannot pose as the worker. */
export function hashLeaseToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
