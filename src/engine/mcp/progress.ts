import type { SyncEvent } from '../memory/sync/events.js';

/** One word on how far work is; the shape of the protocol's progress notification. */
export interface ProgressNote {
  /** Files and passages done with; only ever grows. */
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

/** How progress is told. */
export interface ProgressOptions {
  readonly tell: (note: ProgressNote) => void;
  /** Milliseconds from any beginning. */
  readonly now: () => number;
}

/** A client shows it to a person: more often than this it only flickers. */
const LEAST_GAP_MS = 200;

/** Turns what a sync tells into notes for a client that waits for it. */
export function progressNotes({ tell, now }: ProgressOptions): (event: SyncEvent) => void {
  let files = 0;
  let passages = 0;
  let filesInAll: number | undefined;
  let passagesInAll = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  let toldProgress = -1;
  const say = (message: string): void => {
    const progress = files + passages;
    if (progress <= toldProgress || now() - toldAt < LEAST_GAP_MS) return;
    toldAt = now();
    toldProgress = progress;
    const total = filesInAll === undefined ? undefined : filesInAll + passagesInAll;
    tell({ progress, ...(total === undefined ? {} : { total }), message });
  };
  return (event) => {
    switch (event.type) {
      case 'scan.finished':
        filesInAll = files + event.filesToIndex;
        break;
      case 'document.indexed':
      case 'document.unchanged':
        files += 1;
        say(`indexing ${event.path}`);
        break;
      case 'embed.started':
        passagesInAll = passages + event.passages;
        break;
      case 'embed.stored':
        passages += event.passages;
        say('embedding passages');
        break;
    }
  };
}
