import type { Change } from '../index/index.js';
import type { TranscriptFile } from '../sources/index.js';
import type { SourceFile } from '../types.js';
import type { SyncEvent } from './events.js';
import type { FilePart } from './load-transcript.js';
import type { PlannedRead } from './plan-changes.js';
import type { Tally } from './tally.js';

export function isTranscript(file: SourceFile): file is TranscriptFile {
  return file.kind === 'transcript' && 'place' in file;
}

/** One step through a file. */
export interface FileStep {
  /** Undefined for no change. */
  readonly change: Change | undefined;
  readonly bytes: number;
  readonly isLast: boolean;
}

/**
 * Steps through the parts of a file, which may be in several transactions, and counts and reports them. The
 * file of a transcript is open until all parts were read, or the steps are ended.
 */
export function* fileSteps(
  { file, stored }: PlannedRead,
  parts: Iterable<FilePart>,
  tally: Tally,
  onEvent: (event: SyncEvent) => void,
): Generator<FileStep, undefined> {
  const { path } = file;
  let [chunks, bytes] = [0, 0];
  let hasBegun = false;
  for (const part of parts) {
    if (part.state === 'skipped') {
      tally.skip(part.skip, stored !== undefined);
      onEvent({ type: 'document.skipped', ...part.skip });
      // An unreadable file must not be found by its old text.
      const isIndexed = stored !== undefined || hasBegun;
      const change = isIndexed ? ({ type: 'remove', key: file } as const) : undefined;
      yield { change, bytes: 0, isLast: true };
    } else if (part.state === 'unchanged') {
      const { fingerprint } = part;
      tally.keep(isTranscript(file) ? 0 : fingerprint.size);
      onEvent({ type: 'document.unchanged', path, bytes: fingerprint.size });
      yield { change: { type: 'touch', key: file, fingerprint }, bytes: 0, isLast: true };
    } else {
      const { change, isLast } = part;
      chunks += part.chunks;
      bytes += part.bytes;
      if (hasBegun) tally.more(part.chunks, part.bytes);
      else tally.put(change.document, stored !== undefined, part.bytes);
      hasBegun = true;
      if (isLast) onEvent({ type: 'document.indexed', path, bytes, chunks });
      yield { change, bytes: part.bytes, isLast };
    }
  }
}
