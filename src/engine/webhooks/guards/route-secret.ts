import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The header that carries a secret where `Authorization` cannot be set. */
export const SECRET_HEADER = 'x-svc-webhook-secret';

const BEARER = /^bearer(?:[ \t]+(.*))?$/isu;

/** A secret that can be compared and not be read. */
export interface RouteSecret {
  /** Whether a request carries it. Takes as long for a wrong one as for the right one. */
  readonly isCarriedBy: (headers: IncomingHttpHeaders) => boolean;
}

/** Keeps the digest of a secret; comparing digests tells nothing about where values differ. */
export function routeSecret(value: string): RouteSecret {
  const expected = digest(Buffer.from(value, 'utf8'));
  return {
    isCarriedBy: (headers) => {
      const carried = carriedSecret(headers);
      return carried !== undefined && timingSafeEqual(digest(carried), expected);
    },
  };
}

/** `Authorization: Bearer` wins, also when it is wrong or empty; other schemes are not looked at. */
function carriedSecret(headers: IncomingHttpHeaders): Buffer | undefined {
  const bearer = BEARER.exec(headers.authorization ?? '');
  const own = headers[SECRET_HEADER];
  const carried = bearer === null ? own : (bearer[1] ?? '').trimEnd();
  // Node.js reads headers as Latin-1; the bytes that were sent are compared.
  return typeof carried === 'string' ? Buffer.from(carried, 'latin1') : undefined;
}

function digest(value: Buffer): Buffer {
  return hash('sha256', value, 'buffer');
}
