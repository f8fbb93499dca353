import type { EvalEvent } from '../engine/eval/evaluate.js';
import type { SecretMask } from '../engine/secrets/mask/secret-mask.js';
import { createEvalProgress } from '../ui/memory/eval-progress.js';
import { createStyle } from '../ui/style.js';
import {
  createLazySyncProgress,
  type SyncProgress,
  type SyncProgressOptions,
} from './sync-progress.js';

/** Shows how far an evaluation is. */
export interface EvalProgress {
  readonly onEvent: (event: EvalEvent) => void;
  /** Must be called before anything else is written to the terminal. */
  readonly clear: () => void;
}

/**
 * A line on stderr that redraws itself on a terminal, for indexing and for asking; elsewhere plain
 * lines, one a variant and those of indexing.
 */
export function createProgress(options: SyncProgressOptions, mask: SecretMask): EvalProgress {
  const { terminal, quiet, verbose } = options;
  const write = (text: string): void => {
    process.stderr.write(text);
  };
  const now = (): number => performance.now();
  const style = createStyle(terminal.progress);
  const draws = terminal.progress && !quiet && !verbose;
  const asking = draws
    ? createEvalProgress(write, { style, columns: terminal.columns, now })
    : undefined;
  // Every index that is brought up to date is shown from its own beginning.
  let indexing: SyncProgress | undefined;
  const onEvent = (event: EvalEvent): void => {
    asking?.onEvent(event);
    if (event.type === 'trial.started' && !draws && !quiet) write(`asking: ${event.name}\n`);
    if (event.type !== 'sync') return;
    indexing ??= createLazySyncProgress(options);
    indexing.onEvent(event.event);
    if (event.event.type !== 'sync.finished') return;
    indexing.clear();
    indexing = undefined;
  };
  return {
    onEvent: (event) => onEvent(mask.data(event)),
    clear: () => {
      indexing?.clear();
      asking?.clear();
    },
  };
}
