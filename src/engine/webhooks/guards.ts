import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FlowAction, Idempotency } from '../flows/index.js';

const SECRET_BYTES = 32;

/** A new secret of a route: 256 random bits in characters that need no escaping anywhere. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

const JSON_TYPE = /^application\/(?:json|[\w!#$&^.+-]+\+json)[ \t]*(?:;(.*))?$/isu;
const CHARSET = /(?:^|;)[ \t]*charset[ \t]*=[ \t]*"?([^\s";]*)/iu;

const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;(.*))?$/isu;

/** Whether the headers announce uncompressed JSON in UTF-8. */
export function isJsonBody(headers: IncomingHttpHeaders): boolean {
  return isBodyOf(JSON_TYPE, headers);
}

/** Whether the headers announce an uncompressed form in UTF-8. */
export function isFormBody(headers: IncomingHttpHeaders): boolean {
  return isBodyOf(FORM_TYPE, headers);
}

function isBodyOf(type: RegExp, headers: IncomingHttpHeaders): boolean {
  const parts = type.exec(headers['content-type'] ?? '');
  if (parts === null) return false;
  const charset = CHARSET.exec(parts[1] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  return (charset === 'utf-8' || charset === 'utf8') && encoding === 'identity';
}

interface InFlightLimits {
  readonly inFlight: number;
  /** While this many clients have requests in flight, no other one is admitted. */
  readonly trackedClients: number;
}

/** Counts requests in flight. */
export class InFlight {
  private readonly counts = new Map<string, number>();

  /** How many clients have requests in flight. */
  get size(): number {
    return this.counts.size;
  }

  /** False if the limit is reached; otherwise call {@link leave} at the end. */
  enter(key: string, limits: InFlightLimits): boolean {
    const count = this.counts.get(key) ?? 0;
    if (count >= limits.inFlight) return false;
    if (count === 0 && this.counts.size >= limits.trackedClients) return false;
    this.counts.set(key, count + 1);
    return true;
  }

  leave(key: string): void {
    const count = this.counts.get(key) ?? 0;
    if (count <= 1) this.counts.delete(key);
    else this.counts.set(key, count - 1);
  }
}

export const IDEMPOTENCY_HEADER = 'idempotency-key';

/** What can be an idempotency key, or the id of a delivery. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/u;

/** Actions that a repetition would perform twice; others carry a revision or are idempotent. */
const KEYED_ACTIONS: ReadonlySet<FlowAction['action']> = new Set(['create_flow', 'run_task']);

/**
 * The idempotency key of a request; undefined if it has none or needs none. The parsed action is hashed, so
 * that white space and the order of fields do not matter.
 */
export function idempotencyOf(
  headers: IncomingHttpHeaders,
  action: FlowAction,
): Idempotency | 'invalid' | undefined {
  const key = headers[IDEMPOTENCY_HEADER];
  if (key === undefined || !KEYED_ACTIONS.has(action.action)) return undefined;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) return 'invalid';
  return { key, bodyHash: hash('sha256', JSON.stringify(action), 'hex') };
}
