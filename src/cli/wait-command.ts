import * as Flags from '@oclif/core/flags';
import type { FlowRecord, TaskRecord, WaitOptions } from '../engine/flows/index.js';
import { formatDuration } from '../engine/support/format.js';
import { waitLine } from '../ui/flows/rows.js';
import { readDuration, withEnvironment } from './flags.js';
import { FlowsCommand } from './flows-command.js';

/** Flags of commands that wait. */
export const waitFlags = withEnvironment({
  timeout: Flags.string({
    summary: 'Stop waiting after this time and exit with 124.',
    helpValue: 'DURATION',
  }),
});

interface WaitFlags {
  readonly plain: boolean;
  readonly quiet: boolean;
  readonly timeout: string | undefined;
}

/** Base of `svc flow wait` and `svc task wait`. */
export abstract class WaitCommand<Result extends object> extends FlowsCommand<Result> {
  /** Waits for the end of one, prints its changes to stderr on a terminal, and fails unless it succeeded. */
  protected async waitFor<R extends FlowRecord | TaskRecord>(
    kind: 'flow' | 'task',
    flags: WaitFlags,
    wait: (options: WaitOptions<R>) => Promise<R>,
  ): Promise<R> {
    const { clock } = this.context();
    const startedMs = clock.now();
    const { style } = this.view(flags);
    const isShown = process.stderr.isTTY && !flags.quiet;
    const ended = await wait({
      signal: this.signal,
      timeoutMs: flags.timeout === undefined ? undefined : readDuration(flags.timeout, '--timeout'),
      onChange: (record) => {
        if (isShown) this.note(waitLine(record, clock.now(), style));
      },
    });
    if (ended.status !== 'succeeded') this.setExitCode(1);
    const id = 'taskId' in ended ? ended.taskId : ended.flowId;
    this.write(`${kind} ${id} ${ended.status} (waited ${formatDuration(clock.now() - startedMs)})`);
    return ended;
  }
}
