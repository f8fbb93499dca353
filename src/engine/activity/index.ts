import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode, systemReason } from '../errors/index.js';
import type { ActivityCounts, StatePaths } from '../support/context.js';
import { makeFolders, namesIn, PRIVATE_MODE, unlessSystemError } from '../support/files.js';
import { MS_PER_HOUR } from '../support/time.js';

/** Counts of the last 24 hours, in buckets of five minutes; the current bucket last. */
export type ActivityHistory = Readonly<Record<keyof ActivityCounts, readonly number[]>>;

const BUCKET_MS = 5 * 60_000;
const BUCKETS = (24 * MS_PER_HOUR) / BUCKET_MS;
const BUCKETS_PER_HOUR = MS_PER_HOUR / BUCKET_MS;

/**
 * There is a file for each hour, to which all processes append, and which is deleted a day later. So no process ever
 * rewrites what another one counts, and nothing needs a lock.
 */
export function activityFolder({ stateDir }: Pick<StatePaths, 'stateDir'>): string {
  return join(stateDir, 'activity');
}

/** Twenty thousand records an hour; what exceeds them is not counted. */
const MOST_BYTES = 256 * 1024;

const KINDS = [
  ['searches', 's'],
  ['chunks', 'c'],
  ['requests', 'r'],
] as const satisfies readonly (readonly [keyof ActivityCounts, string])[];

/**
 * A line: the bucket of its hour, the kind, the count. All have the same length and begin with the line break, so a line
 * that a full disk cut off is recognized, and spoils no other.
 */
const RECORD = /^([0-9ab])([scr])([0-9a-f]{8})$/u;
const MOST_COUNT = 0xff_ff_ff_ff;

/**
 * Adds counts to the current bucket. A state folder that cannot be written is left alone: whoever made it read-only
 * wants searches to work anyway.
 *
 * @throws the system's error, such as that of a full disk
 */
export function recordActivity(folder: string, counts: ActivityCounts, nowMs: number): void {
  const bucket = Math.floor((nowMs % MS_PER_HOUR) / BUCKET_MS).toString(16);
  const records = KINDS.flatMap(([name, kind]) => {
    const count = Math.min(Math.round(counts[name] ?? 0), MOST_COUNT);
    return count > 0 ? [`\n${bucket}${kind}${count.toString(16).padStart(8, '0')}`] : [];
  });
  if (records.length === 0) return;
  const hour = Math.floor(nowMs / MS_PER_HOUR);
  try {
    const isFirst = append(folder, hour, Buffer.from(records.join('')));
    if (isFirst) removeOld(folder, hour);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') throw error;
  }
}

/** Records counts and reports a failure once: a long-lived process would repeat it for hours. */
export function activityRecorder(
  folder: string,
  now: () => number,
  onFailure: (why: string) => void,
): (counts: ActivityCounts) => void {
  let hasFailed = false;
  return (counts) => {
    try {
      recordActivity(folder, counts, now());
    } catch (error) {
      if (!hasFailed) onFailure(`cannot write to ${folder}: ${systemReason(error)}`);
      hasFailed = true;
    }
  };
}

const OPEN_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

/** @returns whether it is the first of its hour */
function append(folder: string, hour: number, records: Buffer): boolean {
  const descriptor = openIn(folder, String(hour));
  try {
    const { size } = fstatSync(descriptor);
    if (size < MOST_BYTES) writeSync(descriptor, records);
    return size === 0;
  } finally {
    closeSync(descriptor);
  }
}

function openIn(folder: string, name: string): number {
  const file = join(folder, name);
  try {
    return openSync(file, OPEN_FLAGS, PRIVATE_MODE);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    makeFolders(folder);
    return openSync(file, OPEN_FLAGS, PRIVATE_MODE);
  }
}

const HOUR_NAME = /^\d{1,9}$/u;

function removeOld(folder: string, hour: number): void {
  for (const name of namesIn(folder)) {
    if (HOUR_NAME.test(name) && Number(name) < hour - 24)
      rmSync(join(folder, name), { force: true });
  }
}

/** Reads the counts of all processes. What cannot be read counts as nothing: it is only for display. */
export function readActivityHistory(folder: string, nowMs: number): ActivityHistory {
  const history = { searches: noCounts(), chunks: noCounts(), requests: noCounts() };
  const first = Math.floor(nowMs / BUCKET_MS) - BUCKETS + 1;
  const lastHour = Math.floor(nowMs / MS_PER_HOUR);
  for (let hour = lastHour - 24; hour <= lastHour; hour++) {
    const text = unlessSystemError(() => readFileSync(join(folder, String(hour)), 'latin1')) ?? '';
    for (const line of text.split('\n')) {
      const [, bucket = '', letter, count = ''] = RECORD.exec(line) ?? [];
      const kind = KINDS.find(([, one]) => one === letter)?.[0];
      const at = hour * BUCKETS_PER_HOUR + Number.parseInt(bucket, 16) - first;
      if (kind === undefined || at < 0 || at >= BUCKETS) continue;
      history[kind][at] = (history[kind][at] ?? 0) + Number.parseInt(count, 16);
    }
  }
  return history;
}

function noCounts(): number[] {
  return Array.from({ length: BUCKETS }, () => 0);
}
