import type { EvalEvent } from '../engine/eval/index.js';
import type { SecretMask } from '../engine/masking/index.js';
import {
  createEvalProgress,
  type EvalProgressLine,
  type ProgressLine,
} from '../ui/progress-line.js';
import { createStyle } from '../ui/style.js';
import { createLazySyncProgress, type SyncProgressOptions } from './shown-sync.js';

/** On a terminal, a line on stderr that redraws itself; elsewhere plain lines, one per variant and those of indexing. */
export function createProgress(options: SyncProgressOptions, mask: SecretMask): EvalProgressLine {
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
  // The progress of each index starts over.
  let indexing: ProgressLine | undefined;
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
