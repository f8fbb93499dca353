import { hash } from 'node:crypto';
import type { ResolvedVerify } from '../../config/index.js';
import { SvcError } from '../../errors/index.js';
import { type HeadCheck, type RequestHead, signaturesOf, type Verifier } from './schemes.js';
import { equalsAny, signatureVerifier } from './signatures.js';

/**
 * @param secrets values, all of which are valid; the first signs
 * @throws SvcError SECRET_UNRESOLVED if one cannot be a key of the scheme
 */
export function createVerifier(
  verify: ResolvedVerify | undefined,
  secrets: readonly string[],
): Verifier {
  if (secrets.length === 0 || secrets.includes('')) throw emptySecret();
  if (verify === undefined) return tokenVerifier('bearer', secrets);
  switch (verify.scheme) {
    case 'basic':
    case 'bearer':
    case 'gitlab':
      return tokenVerifier(verify.scheme, secrets);
    default:
      return signatureVerifier(signaturesOf(verify), secrets, verify.toleranceSeconds);
  }
}

/** No header can carry a line break, for example (RFC 9110 §5.5). */
const CONTROL_CHARACTER = /(?!\t)\p{Cc}/u;

/** The error for an empty secret, which proves nothing. */
export function emptySecret(): SvcError {
  return new SvcError('SECRET_UNRESOLVED', 'the secret is empty', {
    hint: 'generate one: "svc webhook secret generate"',
  });
}

/** The header for a secret where `Authorization` cannot be set. */
export const SECRET_HEADER = 'x-svc-webhook-secret';

export const GITLAB_HEADER = 'x-gitlab-token';

const BEARER = /^bearer(?:[ \t](.*))?$/isu;
const BASIC = /^basic[ \t]+([A-Za-z0-9+/]+={0,2})[ \t]*$/iu;

interface TokenScheme {
  /** The secret in a request; undefined if there is none. */
  readonly readSecret: (head: RequestHead) => Buffer | undefined;
  readonly header: (secret: string) => Readonly<Record<string, string>>;
  /** The header that senders use. */
  readonly headerName: string;
  readonly error: string;
  readonly authenticate: string;
}

const SCHEMES: Readonly<Record<'basic' | 'bearer' | 'gitlab', TokenScheme>> = {
  bearer: {
    readSecret: bearerSecret,
    header: (secret) => ({ authorization: `Bearer ${asHeader(secret)}` }),
    headerName: 'Authorization',
    error: 'The secret of the route is missing or wrong.',
    authenticate: 'Bearer',
  },
  basic: {
    readSecret: (head) => {
      const token = BASIC.exec(singleHeader(head, 'authorization') ?? '')?.[1];
      return token === undefined ? undefined : Buffer.from(token, 'base64');
    },
    header: (secret) => ({ authorization: `Basic ${Buffer.from(secret).toString('base64')}` }),
    headerName: 'Authorization',
    error: 'The user name or password is missing or wrong.',
    authenticate: 'Basic realm="svc", charset="UTF-8"',
  },
  gitlab: {
    readSecret: (head) => {
      const token = singleHeader(head, GITLAB_HEADER);
      return token === undefined ? undefined : Buffer.from(token, 'latin1');
    },
    header: (secret) => ({ [GITLAB_HEADER]: asHeader(secret) }),
    headerName: 'X-Gitlab-Token',
    error: 'X-Gitlab-Token is missing, wrong or sent more than once.',
    authenticate: 'X-Gitlab-Token',
  },
};

/** Node.js reads and writes headers as Latin-1; the bytes of a secret are UTF-8. */
function asHeader(secret: string): string {
  return Buffer.from(secret, 'utf8').toString('latin1');
}

/** `Authorization: Bearer` wins, even if it is wrong or empty; other schemes are ignored. */
function bearerSecret(head: RequestHead): Buffer | undefined {
  const { headers, headersDistinct } = head;
  // Of several, a proxy could have checked another than the one that Node.js takes.
  if ((headersDistinct['authorization']?.length ?? 0) > 1) return undefined;
  const bearer = BEARER.exec(headers.authorization ?? '');
  const own = headers[SECRET_HEADER];
  const secret = bearer === null ? own : (bearer[1] ?? '').trim();
  return typeof secret === 'string' ? Buffer.from(secret, 'latin1') : undefined;
}

/** A header that was sent once. */
function singleHeader({ headersDistinct }: RequestHead, name: string): string | undefined {
  const values = headersDistinct[name];
  return values?.length === 1 ? values[0] : undefined;
}

/**
 * Verifies requests that contain a secret. Only digests of secrets are kept, and comparing digests does not reveal where
 * values differ.
 */
function tokenVerifier(name: 'basic' | 'bearer' | 'gitlab', secrets: readonly string[]): Verifier {
  const scheme = SCHEMES[name];
  const isEncoded = name === 'basic';
  if (!isEncoded && secrets.some((secret) => CONTROL_CHARACTER.test(secret))) {
    const message = 'the secret contains a control character such as a line break';
    throw new SvcError('SECRET_UNRESOLVED', message, {
      hint: 'use a secret without one, such as from "svc webhook secret generate"',
    });
  }
  if (isEncoded && !secrets.every((secret) => secret.includes(':'))) {
    // Senders put a colon between the two, even if one is empty.
    throw new SvcError('SECRET_UNRESOLVED', 'the secret is not a user name and a password', {
      hint: 'write both in it, like user:password',
    });
  }
  const expected = secrets.map((secret) => digest(Buffer.from(secret, 'utf8')));
  const refused = { ok: false, error: scheme.error } as const;
  const missing = scheme.headerName;
  return {
    checkHead: (head) => {
      const secret = scheme.readSecret(head);
      if (secret !== undefined && equalsAny(digest(secret), expected)) return ACCEPTED;
      const isMissing = head.headers[scheme.headerName.toLowerCase()] === undefined;
      return isMissing && secret === undefined ? { ...refused, missing } : refused;
    },
    sign: () => scheme.header(secrets[0] ?? ''),
    authenticate: scheme.authenticate,
  };
}

const ACCEPTED: HeadCheck = { ok: true, checkBody: () => undefined };

function digest(value: Buffer): Buffer {
  return hash('sha256', value, 'buffer');
}
