import * as Flags from '@oclif/core/flags';
import { SvcError } from '../engine/errors/index.js';

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `--since`: a moment (`2026-03-01`), or how long ago (`2h`). */
export const sinceFlag = Flags.string({
  summary: 'Only what was made since: a date or time, or how long ago (30m, 2h, 7d).',
  helpValue: 'WHEN',
});

/**
 * The moment that is meant, in milliseconds since the epoch.
 *
 * @throws SvcError USAGE
 */
export function readSince(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const [, amount, unit = ''] = /^(\d{1,6})([smhdw])$/u.exec(text) ?? [];
  const unitMs = UNITS[unit];
  if (amount !== undefined && unitMs !== undefined) return nowMs - Number(amount) * unitMs;
  const moment = /^\d{4}-\d{2}-\d{2}/u.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw new SvcError('USAGE', `--since ${text} is no moment`, {
    hint: 'use a date (2026-03-01), a time (2026-03-01T08:00Z), or how long ago (30m, 2h, 7d)',
  });
}
