import type { ChunkingOptions } from '../chunking/chunk-markdown.js';
import type { Forgotten } from '../forget/forgotten.js';
import type { Change, StoredDocument } from '../index/memory-index.js';
import type { TranscriptFile } from '../sources/transcripts/transcript-files.js';
import type { SourceFile } from '../types.js';
import type { SyncEvent } from './events.js';
import { loadTranscript, type TranscriptPart } from './load-transcript.js';
import type { Tally } from './tally.js';

/** Whether a file is read as a transcript: in parts, and from where it stopped. */
export function isTranscript(file: SourceFile): file is TranscriptFile {
  return file.kind === 'transcript' && 'place' in file;
}

/** One step through a transcript. */
export interface TranscriptStep {
  /** Undefined where nothing changes. */
  readonly change: Change | undefined;
  /** Bytes read for it. */
  readonly bytes: number;
  readonly isLast: boolean;
}

/**
 * One transcript on its way into the index, from one transaction to the next. It holds the file open:
 * to be closed when it is not followed to its end.
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

  /** A file that is there but cannot be read any more must not answer with its old text. */
  private removal(): Change | undefined {
    const isIndexed = this.stored !== undefined || this.hasBegun;
    return isIndexed ? { type: 'remove', key: this.file } : undefined;
  }
}
