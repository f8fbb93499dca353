import type { ChunkingOptions } from '../chunking/index.js';
import type { Forgotten } from '../forget/index.js';
import type { Change, StoredDocument } from '../index/index.js';
import type { TranscriptFile } from '../sources/index.js';
import type { SourceFile } from '../types.js';
import type { SyncEvent } from './events.js';
import { loadTranscript, type TranscriptPart } from './load-transcript.js';
import type { Tally } from './tally.js';

export function isTranscript(file: SourceFile): file is TranscriptFile {
  return file.kind === 'transcript' && 'place' in file;
}

/** One step through a transcript. */
export interface TranscriptStep {
  /** Undefined for no change. */
  readonly change: Change | undefined;
  readonly bytes: number;
  readonly isLast: boolean;
}

/**
 * A transcript being indexed across transactions. It keeps the file open, so close it unless it is read to
 * its end.
 */
export class TranscriptProgress {
  private readonly file: TranscriptFile;
  private readonly stored: StoredDocument | undefined;
  private readonly parts: Generator<TranscriptPart>;
  private readonly onEvent: (event: SyncEvent) => void;
  private chunks = 0;
  private bytes = 0;
  private hasBegun = false;

  constructor(
    file: TranscriptFile,
    stored: StoredDocument | undefined,
    options: {
      readonly chunking: ChunkingOptions;
      readonly forgotten: Forgotten;
      readonly onEvent: (event: SyncEvent) => void;
    },
  ) {
    this.file = file;
    this.stored = stored;
    this.parts = loadTranscript(file, stored, options.chunking, options.forgotten);
    this.onEvent = options.onEvent;
  }

  next(tally: Tally): TranscriptStep {
    const { done, value: part } = this.parts.next();
    if (done === true) return { change: undefined, bytes: 0, isLast: true };
    const { path } = this.file;
    switch (part.state) {
      case 'skipped':
        tally.skip(part.skip, this.stored !== undefined);
        this.onEvent({ type: 'document.skipped', ...part.skip });
        return { change: this.removal(), bytes: 0, isLast: true };
      case 'unchanged': {
        const { fingerprint } = part;
        tally.keep(0);
        this.onEvent({ type: 'document.unchanged', path, bytes: fingerprint.size });
        return { change: { type: 'touch', key: this.file, fingerprint }, bytes: 0, isLast: true };
      }
      case 'changed':
        return this.changed(part, tally);
    }
  }

  close(): void {
    this.parts.return(undefined);
  }

  private changed(
    { change, chunks, bytes, isLast }: Extract<TranscriptPart, { state: 'changed' }>,
    tally: Tally,
  ): TranscriptStep {
    this.chunks += chunks;
    this.bytes += bytes;
    if (this.hasBegun) tally.more(chunks, bytes);
    else if (change.type === 'put' || change.type === 'extend') {
      tally.put(change.document, this.stored !== undefined, bytes);
    }
    this.hasBegun = true;
    if (isLast) {
      const { path } = this.file;
      this.onEvent({ type: 'document.indexed', path, bytes: this.bytes, chunks: this.chunks });
    }
    return { change, bytes, isLast };
  }

  /** An unreadable file must not be found by its old text. */
  private removal(): Change | undefined {
    const isIndexed = this.stored !== undefined || this.hasBegun;
    return isIndexed ? { type: 'remove', key: this.file } : undefined;
  }
}
