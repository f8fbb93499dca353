import { readPart } from '../../read-part.js';
import type { TranscriptGrowth } from '../sources/transcripts/transcript-files.js';
import type { PlannedRead, SyncPlan } from './plan-changes.js';

/** What agents write into a transcript when they sum up what went before and go on from there. */
const COMPACTION_MARKS = ['"type":"compaction"', '"type":"compacted"', '"compact_boundary"'].map(
  (mark) => Buffer.from(mark),
);
const NEWLINE = 10;
/** No more of what was added is looked through; that many bytes are worth indexing in any case. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Leaves transcripts out of a plan that have grown by too little to be read again yet (`sync.sessions`,
 * memory search §2.10). New ones, and those that were written over, stay in it.
 */
export function withoutSmallGrowth(plan: SyncPlan, growth: TranscriptGrowth): SyncPlan {
  const read = plan.read.filter((planned) => isDue(planned, growth));
  const deferred = plan.read.length - read.length;
  return deferred === 0 ? plan : { ...plan, read, unchanged: plan.unchanged + deferred };
}

function isDue({ file, stored }: PlannedRead, growth: TranscriptGrowth): boolean {
  if (file.kind !== 'transcript' || stored === undefined) return true;
  const added = file.size - stored.fingerprint.size;
  // Less than before, or a part of it left from a run that was stopped.
  if (added <= 0 || stored.fingerprint.mtimeMs === 0) return true;
  if (added >= Math.min(growth.deltaBytes, MOST_BYTES) || growth.deltaMessages === 0) return true;
  const bytes = tail(file.absolutePath, stored.fingerprint.size, added);
  if (bytes === undefined) return true;
  const { deltaMessages, postCompactionForce } = growth;
  if (linesIn(bytes) >= deltaMessages) return true;
  return postCompactionForce && COMPACTION_MARKS.some((mark) => bytes.includes(mark));
}

/** Undefined where it cannot be read: whoever indexes it will say why. */
function tail(path: string, from: number, length: number): Buffer | undefined {
  try {
    return readPart(path, from, length);
  } catch {
    return undefined;
  }
}

function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
