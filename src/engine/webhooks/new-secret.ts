import { randomBytes } from 'node:crypto';

/** As much as a key of AES-256 has. */
const SECRET_BYTES = 32;

/** A new secret of a route: 256 random bits in signs that no shell, header or address changes. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}
