import type { Logger } from 'pino';
import { faultFields, messageOf, SvcError, systemErrorCode } from '../errors/index.js';
import type { UnroutedRequest } from '../listener/http-server.js';
import { withEllipsis } from '../support/text.js';
import type { RejectionCode } from './answers.js';
import type { FailedRequest } from './pipeline.js';

/** An answered request on a known route. */
export interface AnsweredRequest {
  readonly routeId: string;
  readonly requestId: string;
  readonly method: string;
  readonly status: number;
  /** Null for an action that was performed. */
  readonly code: RejectionCode | null;
  /** Null if the request was rejected before its action was known. */
  readonly action: string | null;
  /** The client, behind trusted proxies. */
  readonly clientIp: string;
  readonly ms: number;
  /** Of the answer. */
  readonly bytes: number;
  /** Why it was rejected, in words. */
  readonly reason: string | null;
  /** The header that would have proved the sender. */
  readonly missing?: string | undefined;
}

/** How often the same rejection of the same route is logged. */
const EVERY_MS = 1000;
/** Faults on this side, such as a full disk, last for a while; another kind of fault is logged at once. */
const FAILURE_EVERY_MS = 60_000;

const MOST_REASON_CHARS = 200;
const MOST_PATH_CHARS = 100;

interface LastLogged {
  atMs: number;
  /** Suppressed since then. */
  more: number;
}

/**
 * Logs answers: performed actions at `debug`, rejections at `info`, faults on this side at `error`. Nothing of a body or
 * header gets into a line except the request id and the names in a reason. A flood of rejected requests must not flood
 * the log: of similar ones one per second is logged, with how many were suppressed.
 */
export class AnswerLog {
  private readonly log: Logger;
  /** By route and code, which are few. */
  private readonly logged = new Map<string, LastLogged>();

  constructor(log: Logger) {
    this.log = log;
  }

  /** @param nowMs on a clock that never jumps */
  record(answered: AnsweredRequest, nowMs: number): void {
    const { routeId: route, requestId, status, code, action, clientIp: ip } = answered;
    if (code === null && !this.log.isLevelEnabled('debug')) return;
    const ms = rounded(answered.ms);
    const fields = { route, requestId, status, ip, ms };
    if (code === null) {
      this.log.debug({ ...fields, action }, 'performed');
      return;
    }
    const { method, missing, reason } = answered;
    const isFault = status >= 500 && code !== 'draining';
    const everyMs = isFault ? FAILURE_EVERY_MS : EVERY_MS;
    const more = this.suppressed(`${route}\n${code}\n${missing ?? ''}`, nowMs, everyMs);
    if (more === undefined) return;
    const line = {
      ...fields,
      code,
      ...(code === 'method_not_allowed' ? { method } : {}),
      reason: reason === null ? undefined : withEllipsis(reason, MOST_REASON_CHARS),
      missing,
      ...more,
    };
    if (isFault) this.log.error(line, 'not performed');
    else this.log.info(line, 'rejected');
  }

  /** Logs requests that no route answered: unknown paths and invalid HTTP. */
  unrouted({ status, code, reason, ...request }: UnroutedRequest, nowMs: number): void {
    const more = this.suppressed(`unrouted\n${reason}`, nowMs, EVERY_MS);
    if (more === undefined) return;
    const { method, path, requestId, clientIp: ip } = request;
    const line = { method, path: shownPath(path), requestId, status, ip, code, reason, ...more };
    this.log.info(line, 'rejected');
  }

  /** Logs any answered request, for an access log. */
  access(request: AccessedRequest): void {
    const { method, route, path, status, ms, bytes, clientIp: ip, requestId } = request;
    const took = ms === undefined ? undefined : rounded(ms);
    const line = { method, route, path: shownPath(path), status, ms: took, bytes, ip, requestId };
    this.log.info(line, 'request');
  }

  /** Logs why valid actions could not be performed, each reason once a minute. */
  failed(error: unknown, nowMs: number, request?: FailedRequest): void {
    const more = this.suppressed(`failed\n${kindOf(error)}`, nowMs, FAILURE_EVERY_MS);
    if (more === undefined) return;
    this.log.error(
      { ...faultFields(error), ...request, ...more },
      `not performed: ${messageOf(error)}`,
    );
  }

  /** How many were suppressed since the last one was logged; undefined if this one is suppressed too. */
  private suppressed(
    key: string,
    nowMs: number,
    everyMs: number,
  ): { readonly more?: number } | undefined {
    const last = this.logged.get(key);
    if (last !== undefined && nowMs - last.atMs < everyMs) {
      last.more += 1;
      return undefined;
    }
    this.logged.set(key, { atMs: nowMs, more: 0 });
    return last === undefined || last.more === 0 ? {} : { more: last.more };
  }
}

/** The same for faults that differ only in names: what failed, and why the system refused. */
function kindOf(error: unknown): string {
  if (!(error instanceof SvcError)) return messageOf(error).slice(0, MOST_REASON_CHARS);
  return `${error.code} ${systemErrorCode(error.cause) ?? ''}`;
}

/** A request of any kind, as an access log shows it. */
export interface AccessedRequest {
  readonly method: string | undefined;
  /** Undefined if it was on none. */
  readonly route?: string | undefined;
  readonly path: string | undefined;
  readonly status: number;
  readonly ms?: number;
  /** Of the answer. */
  readonly bytes?: number;
  readonly clientIp: string | undefined;
  readonly requestId: string;
}

/** To a tenth of a millisecond. */
export function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** Without its query, where secrets are, and short: anybody can write anything into it. */
function shownPath(path: string | undefined): string | undefined {
  return path
    ?.split('?', 1)[0]
    ?.slice(0, MOST_PATH_CHARS)
    .replaceAll(/[^!-~]/gu, '?');
}
