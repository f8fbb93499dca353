import type { RejectionCode } from '../answers.js';

/** A request on a known route that was answered. */
export interface AnsweredRequest {
  readonly routeId: string;
  readonly requestId: string;
  readonly status: number;
  /** Null for an action that was performed. */
  readonly code: RejectionCode | null;
  /** Null where it did not come to one. */
  readonly action: string | null;
  /** Who sent it, behind proxies that are believed. */
  readonly clientIp: string;
  /** How long the answer took, in milliseconds. */
  readonly ms: number;
}

/** Takes each answer; must not throw. */
export type OnAnswered = (answered: AnsweredRequest) => void;
