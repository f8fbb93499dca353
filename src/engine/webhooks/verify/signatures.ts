import { createHmac, timingSafeEqual } from 'node:crypto';
import { SvcError } from '../../errors/index.js';
import { valueAtKeys } from '../../support/json-pointer.js';
import { parsedJson } from '../../support/text.js';
import type {
  HeadCheck,
  RequestHead,
  SignatureScheme,
  SignedTime,
  SigningOptions,
  Verifier,
} from './schemes.js';

/** More than a sender sends while its secret is being replaced. */
const MOST_SIGNATURES = 16;

const SECRET_PREFIX = 'whsec_';
/** Supabase shows the version of the signature in front of it. */
const SHOWN_PREFIX = /^(?:v1,)?whsec_/u;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/u;
const HEX = /^(?:[0-9a-f]{2})+$/iu;
const DIGEST_BYTES = { sha256: 32, sha512: 64 } as const;

/** Unix time in seconds or milliseconds; with decimals, as Python writes it. */
const TIME = /^\d{1,16}(?:\.\d{1,9})?$/u;
/** Later seconds are after the year 5000, earlier milliseconds in 1973. */
const LEAST_MS = 1e11;

/**
 * Verifies requests that are signed with a shared key (HMAC).
 *
 * @param schemes the first whose signature or id header a request has applies
 * @throws SvcError SECRET_UNRESOLVED if a secret is not a key of the scheme
 */
export function signatureVerifier(
  schemes: readonly SignatureScheme[],
  secrets: readonly string[],
  toleranceSeconds: number,
): Verifier {
  const prepared = schemes.map((scheme) => ({ ...scheme, parts: partsOf(scheme) }));
  const [main] = prepared;
  if (main === undefined) throw new Error('no signature scheme');
  const keys = secrets.map((secret) => keyOf(main, secret));
  const toleranceMs = toleranceSeconds * 1000;
  return {
    checkHead: (head, nowMs) => {
      const scheme = prepared.find(({ header, id }) => hasAny(head, [header, id]));
      return checkHead(scheme ?? main, head, { keys, nowMs, toleranceMs });
    },
    sign: (body, how) => signedHeaders(main, keys[0] ?? Buffer.alloc(0), body, how),
    authenticate: 'Signature',
  };
}

function hasAny({ headersDistinct }: RequestHead, names: readonly (string | undefined)[]): boolean {
  return names.some((name) => name !== undefined && headersDistinct[name] !== undefined);
}

function keyOf({ key }: SignatureScheme, secret: string): Buffer {
  if (key === 'text') return Buffer.from(secret, 'utf8');
  const text = secret.replace(SHOWN_PREFIX, '');
  if (BASE64.test(text)) return Buffer.from(text, 'base64');
  throw new SvcError('SECRET_UNRESOLVED', 'the secret is not a key of Standard Webhooks', {
    hint: `use the secret as the sender shows it: ${SECRET_PREFIX} and Base64`,
  });
}

/** A scheme with its payload already split, which every request needs. */
type PreparedScheme = SignatureScheme & { readonly parts: readonly string[] };

interface Expectations {
  readonly keys: readonly Buffer[];
  readonly nowMs: number;
  readonly toleranceMs: number;
}

function checkHead(scheme: PreparedScheme, head: RequestHead, expected: Expectations): HeadCheck {
  const header = singleHeader(head, scheme.header);
  if (!header.ok) return header;
  const entries = entriesOf(scheme, header.value);
  const signatures = entries.flatMap((entry) => signatureIn(scheme, entry));
  if (signatures.length === 0) {
    return fault(`${headerName(scheme.header)} contains no signature of the expected form.`);
  }
  const id = scheme.id === undefined ? EMPTY : singleHeader(head, scheme.id);
  if (!id.ok) return id;
  const time = timeIn(scheme.time, head, entries);
  if (!time.ok) return time;
  if (time.value !== '' && !TIME.test(time.value)) {
    return fault('The signed time is not in seconds or milliseconds since the epoch.');
  }
  if (time.value !== '' && !isNear(time.value, expected)) {
    const seconds = expected.toleranceMs / 1000;
    return fault(
      `The request was signed more than ${seconds} s ago, or is dated more than ${seconds} s in the future.`,
    );
  }
  const values: SignedValues = { id: id.value, timestamp: time.value };
  return {
    ok: true,
    checkBody: (body) => checkBody(body, { scheme, values, signatures }, expected),
  };
}

/** What the headers of a request say about how it was signed. */
interface SignedHead {
  readonly scheme: PreparedScheme;
  readonly values: SignedValues;
  readonly signatures: readonly Buffer[];
}

interface SignedValues {
  readonly id: string;
  readonly timestamp: string;
}

type HeaderValue =
  | { readonly ok: true; readonly value: string }
  | Extract<HeadCheck, { ok: false }>;

const EMPTY: HeaderValue = { ok: true, value: '' };

function fault(error: string): Extract<HeadCheck, { ok: false }> {
  return { ok: false, error };
}

function singleHeader({ headersDistinct }: RequestHead, name: string): HeaderValue {
  const [value, more] = headersDistinct[name] ?? [];
  if (value === undefined || value === '') {
    const missing = headerName(name);
    return { ok: false, error: `${missing} is missing.`, missing };
  }
  if (more !== undefined) return fault(`${headerName(name)} is sent more than once.`);
  return { ok: true, value };
}

/** As vendors write it: X-Hub-Signature-256. */
function headerName(lowerCase: string): string {
  return lowerCase.replaceAll(/(?<![^-])[a-z]/gu, (letter) => letter.toUpperCase());
}

function entriesOf({ separator }: SignatureScheme, value: string): readonly string[] {
  if (separator === undefined) return [value];
  return value
    .split(separator, MOST_SIGNATURES)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Several times are refused: which one was signed would be a guess. */
function timeIn(
  time: SignedTime | undefined,
  head: RequestHead,
  entries: readonly string[],
): HeaderValue {
  switch (time?.in) {
    case undefined:
    case 'body':
      return EMPTY;
    case 'header':
      return singleHeader(head, time.name);
    case 'entry': {
      const [found, more] = entries.filter((entry) => entry.startsWith(time.prefix));
      const value = found?.slice(time.prefix.length) ?? '';
      return value === '' || more !== undefined
        ? fault('The signature must contain one time.')
        : { ok: true, value };
    }
  }
}

function isNear(time: string, { nowMs, toleranceMs }: Expectations): boolean {
  if (!TIME.test(time)) return false;
  const value = Number(time);
  const ms = value < LEAST_MS ? value * 1000 : value;
  return Math.abs(nowMs - ms) <= toleranceMs;
}

function signatureIn(scheme: SignatureScheme, entry: string): readonly Buffer[] {
  const { prefix, encoding, algorithm } = scheme;
  if (!entry.startsWith(prefix)) return [];
  const text = entry.slice(prefix.length);
  if (!(encoding === 'hex' ? HEX : BASE64).test(text)) return [];
  const signature = Buffer.from(text, encoding);
  return signature.length === DIGEST_BYTES[algorithm] ? [signature] : [];
}

function checkBody(
  body: Buffer,
  { scheme, values, signatures }: SignedHead,
  expected: Expectations,
): string | undefined {
  let isSigned = false;
  for (const key of expected.keys) {
    if (equalsAny(signatureOf(scheme, key, values, body), signatures)) isSigned = true;
  }
  if (!isSigned) return `The signature in ${headerName(scheme.header)} does not match.`;
  if (scheme.time?.in !== 'body') return undefined;
  const time = valueAtKeys(parsedJson(body.toString('utf8')), scheme.time.keys);
  const isRecent =
    (typeof time === 'number' || typeof time === 'string') && isNear(String(time), expected);
  return isRecent ? undefined : 'The time in the body is missing or too far from now.';
}

const PLACEHOLDER = /(\{(?:id|timestamp|body)\})/u;

/** What is signed, in parts. */
function partsOf({ payload }: SignatureScheme): readonly string[] {
  return payload.split(PLACEHOLDER).filter((part) => part !== '');
}

function signatureOf(
  scheme: PreparedScheme,
  key: Buffer,
  values: SignedValues,
  body: Buffer,
): Buffer {
  const hmac = createHmac(scheme.algorithm, key);
  for (const part of scheme.parts) {
    if (part === '{body}') hmac.update(body);
    // Signed as received, and Node.js reads headers as Latin-1.
    else if (part === '{id}') hmac.update(values.id, 'latin1');
    else if (part === '{timestamp}') hmac.update(values.timestamp, 'latin1');
    else hmac.update(part, 'utf8');
  }
  return hmac.digest();
}

function signedHeaders(
  scheme: PreparedScheme,
  key: Buffer,
  body: Buffer,
  { id, nowMs }: SigningOptions,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = signatureOf(scheme, key, { id, timestamp }, body).toString(scheme.encoding);
  const entry = `${scheme.prefix}${signature}`;
  const { time } = scheme;
  return {
    [scheme.header]: time?.in === 'entry' ? `${time.prefix}${timestamp},${entry}` : entry,
    ...(time?.in === 'header' ? { [time.name]: timestamp } : {}),
    ...(scheme.id === undefined ? {} : { [scheme.id]: id }),
  };
}

/** Whether a value equals one of several of its length. Compares with all of them, in constant time. */
export function equalsAny(value: Buffer, expected: readonly Buffer[]): boolean {
  let isEqual = false;
  for (const one of expected) {
    if (value.length === one.length && timingSafeEqual(value, one)) isEqual = true;
  }
  return isEqual;
}
