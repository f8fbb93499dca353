import type { Logger } from 'pino';
import type { AnsweredRequest } from './answered.js';

/** The same rejection of the same route is told no more often. */
const EVERY_MS = 1000;

interface Told {
  atMs: number;
  /** Left out since then. */
  more: number;
}

/**
 * Tells of each answer: performed actions at `debug`, rejections at `info`, what is wrong here at `error`.
 * Nothing of a body or a header but the request id gets into a line. A flood of refused requests must
 * not become a flood of lines: of those that are alike one a second is told, with how many were left out.
 */
export class AnswerLog {
  private readonly log: Logger;
  /** By route and code, which are few. */
  private readonly told = new Map<string, Told>();

  constructor(log: Logger) {
    this.log = log;
  }

  /** @param nowMs on a clock that is not set back */
  record(answered: AnsweredRequest, nowMs: number): void {
    const { routeId: route, requestId, status, code, action, clientIp: ip } = answered;
    if (code === null && !this.log.isLevelEnabled('debug')) return;
    const ms = Math.round(answered.ms * 10) / 10;
    const fields = { route, requestId, status, ip, ms };
    if (code === null) {
      this.log.debug({ ...fields, action }, 'performed');
      return;
    }
    const more = this.leftOut(`${route}\n${code}`, nowMs);
    if (more === undefined) return;
    const line = { ...fields, code, ...(more === 0 ? {} : { more }) };
    if (status >= 500) this.log.error(line, 'not performed');
    else this.log.info(line, 'rejected');
  }

  /** How many were left out since the last that was told; undefined when this one is, too. */
  private leftOut(key: string, nowMs: number): number | undefined {
    const told = this.told.get(key);
    if (told !== undefined && nowMs - told.atMs < EVERY_MS) {
      told.more += 1;
      return undefined;
    }
    this.told.set(key, { atMs: nowMs, more: 0 });
    return told?.more ?? 0;
  }
}
