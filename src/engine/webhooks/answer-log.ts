import type { Logger } from 'pino';
import { messageOf, SvcError } from '../errors/index.js';
import type { RejectionCode } from './answers.js';

/** An answered request on a known route. */
export interface AnsweredRequest {
  readonly routeId: string;
  readonly requestId: string;
  readonly status: number;
  /** Null for an action that was performed. */
  readonly code: RejectionCode | null;
  /** Null if the request was rejected before its action was known. */
  readonly action: string | null;
  /** The client, behind trusted proxies. */
  readonly clientIp: string;
  readonly ms: number;
}

/** How often the same rejection of the same route is logged. */
const EVERY_MS = 1000;
/** Faults on this side, such as a full disk, last for a while. */
const FAILURE_EVERY_MS = 60_000;

const MOST_REASON_CHARS = 200;

interface Logged {
  atMs: number;
  /** Suppressed since then. */
  more: number;
}

/**
 * Logs answers: performed actions at `debug`, rejections at `info`, faults on this side at `error`. Nothing
 * of a body or header except the request id gets into a line. A flood of rejected requests must not flood
 * the log: of similar ones one per second is logged, with how many were suppressed.
 */
export class AnswerLog {
  private readonly log: Logger;
  /** By route and code, which are few. */
  private readonly logged = new Map<string, Logged>();

  constructor(log: Logger) {
    this.log = log;
  }

  /** @param nowMs on a clock that never jumps */
  record(answered: AnsweredRequest, nowMs: number): void {
    const { routeId: route, requestId, status, code, action, clientIp: ip } = answered;
    if (code === null && !this.log.isLevelEnabled('debug')) return;
    const ms = Math.round(answered.ms * 10) / 10;
    const fields = { route, requestId, status, ip, ms };
    if (code === null) {
      this.log.debug({ ...fields, action }, 'performed');
      return;
    }
    const everyMs = status >= 500 ? FAILURE_EVERY_MS : EVERY_MS;
    const more = this.suppressed(`${route}\n${code}`, nowMs, everyMs);
    if (more === undefined) return;
    const line = { ...fields, code, ...(more === 0 ? {} : { more }) };
    if (status >= 500) this.log.error(line, 'not performed');
    else this.log.info(line, 'rejected');
  }

  /** Logs why valid actions could not be performed, each reason once a minute. */
  failed(error: unknown, nowMs: number): void {
    const reason = error instanceof SvcError ? error.code : messageOf(error);
    const more = this.suppressed(
      `failed\n${reason.slice(0, MOST_REASON_CHARS)}`,
      nowMs,
      FAILURE_EVERY_MS,
    );
    if (more === undefined) return;
    this.log.error(
      { err: error, ...(more === 0 ? {} : { more }) },
      `not performed: ${messageOf(error)}`,
    );
  }

  /** How many were suppressed since the last one was logged; undefined if this one is suppressed too. */
  private suppressed(key: string, nowMs: number, everyMs: number): number | undefined {
    const last = this.logged.get(key);
    if (last !== undefined && nowMs - last.atMs < everyMs) {
      last.more += 1;
      return undefined;
    }
    this.logged.set(key, { atMs: nowMs, more: 0 });
    return last?.more ?? 0;
  }
}
