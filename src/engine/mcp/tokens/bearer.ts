import { createHash, timingSafeEqual } from 'node:crypto';

/** The bearer token of an `Authorization` header. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(?<token>\S+) *$/iu.exec(authorization ?? '')?.groups?.['token'];
}

/** SHA-256 in hexadecimal. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The entry with the hash of a token; compares all of them in constant time. */
export function withHash<T extends { readonly hash: string }>(
  entries: readonly T[],
  token: string,
): T | undefined {
  const wanted = Buffer.from(tokenHash(token));
  let found: T | undefined;
  for (const entry of entries) {
    if (timingSafeEqual(Buffer.from(entry.hash), wanted)) found = entry;
  }
  return found;
}
