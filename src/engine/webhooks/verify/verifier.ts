import type { IncomingMessage } from 'node:http';
import type { ResolvedVerify } from '../../config/index.js';
import { SvcError } from '../../errors/index.js';
import { signaturesOf } from './schemes.js';
import { signatureVerifier } from './signatures.js';
import { tokenVerifier } from './tokens.js';

/** The headers of a request; `headersDistinct` shows which were sent more than once. */
export type RequestHead = Pick<IncomingMessage, 'headers' | 'headersDistinct'>;

/** The result of checking headers. Errors are for the sender: they contain no secret and no signature. */
export type HeadCheck =
  | {
      readonly ok: false;
      readonly error: string;
      /** The header that is missing, for the log. */
      readonly missing?: string;
    }
  | {
      readonly ok: true;
      /** Checks the bytes as they were received. @returns why they are refused; undefined if they are not */
      readonly checkBody: (body: Buffer) => string | undefined;
    };

/** Knows the requests of a sender. */
export interface Verifier {
  /**
   * Checks what can be checked before the body is read.
   *
   * @param nowMs milliseconds since the epoch
   */
  readonly checkHead: (head: RequestHead, nowMs: number) => HeadCheck;
  /** The headers of a request that it accepts. */
  readonly sign: (body: Buffer, how: Signing) => Readonly<Record<string, string>>;
  /** `WWW-Authenticate` of a refusal. */
  readonly authenticate: string;
}

export interface Signing {
  /** Of the delivery. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

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

/** Why a secret without characters proves nothing. */
export function emptySecret(): SvcError {
  return new SvcError('SECRET_UNRESOLVED', 'the secret is empty', {
    hint: 'svc webhook secret generate',
  });
}
