import * as Flags from '@oclif/core/flags';
import { loadConfig } from '../engine/config/index.js';
import { SvcError } from '../engine/errors/index.js';
import type { FlowFilter, TaskFilter } from '../engine/flows/index.js';
import {
  type Flows,
  flowEntryOutput,
  type LeaseRefusal,
  openFlows,
  TASK_RUNTIMES,
  taskOutput,
} from '../engine/flows/index.js';
import type { Clock } from '../engine/support/context.js';
import { flowRow, taskRow } from '../ui/flows/rows.js';
import { BaseCommand } from './base-command.js';
import { sinceFlag, withEnvironment } from './flags.js';
import type { FollowedList } from './shown-flows-watch.js';

/** Base of commands that work on flows: opens them and closes them at the end. */
export abstract class FlowsCommand<Result extends object> extends BaseCommand<Result> {
  private opened: Flows | undefined;

  /** The flows of the state folder. */
  protected async openFlows(flags: { readonly config?: string | undefined }): Promise<Flows> {
    const context = this.context();
    const { resolved, warnings } = await loadConfig(context, { configFile: flags.config });
    for (const warning of warnings) this.addWarning(warning);
    this.opened = await openFlows(context, resolved);
    return this.opened;
  }

  protected override async finally(): Promise<void> {
    await super.finally();
    await this.opened?.close();
  }
}

/** The error for a worker whose report was refused. */
export function leaseError(refusal: LeaseRefusal, taskId: string): SvcError {
  switch (refusal.code) {
    case 'not_found':
      return new SvcError('TASK_NOT_FOUND', `task not found: ${taskId}`, {
        hint: '"svc task claim" prints the ID; an old task may have been pruned',
      });
    case 'ended':
      return new SvcError(
        'TASK_ENDED',
        `task ${taskId} has already ended: ${refusal.task.status}`,
        {
          hint: 'stop working on it',
        },
      );
    case 'lease_lost':
      return new SvcError('TASK_LEASE_LOST', `the lease token of task ${taskId} is not valid`, {
        hint: 'the lease may have expired: stop working on the task',
      });
  }
}

/** `--runtime`, once or more. */
export function runtimesFlag(summary: string) {
  return Flags.option({ options: TASK_RUNTIMES, multiple: true, summary, helpValue: 'RUNTIME' })();
}

/** Flags of the lists of flows and tasks. */
export const listFlags = withEnvironment({
  session: Flags.string({
    summary: 'Show only those of this session.',
    helpValue: 'KEY',
    aliases: ['owner'],
  }),
  since: sinceFlag,
  limit: Flags.integer({
    summary: 'Show at most this many, newest first.',
    helpValue: 'N',
    default: 50,
    min: 1,
    max: 10_000,
  }),
  audit: Flags.boolean({
    summary: 'Show stuck, lost or inconsistent entries; exit with 1 on errors.',
    exclusive: ['watch'],
  }),
  watch: Flags.boolean({ summary: 'Keep running and show changes.' }),
});

/** Base of `svc flow list` and `svc task list`: a list that can be followed. */
export abstract class ListCommand<Result extends object> extends FlowsCommand<Result> {
  private isFollowing = false;

  /** Follows a list until the user quits. With `--json`, each change is one line. */
  protected async watch(
    flows: Flows,
    flags: { readonly plain: boolean },
    list: FollowedList,
  ): Promise<void> {
    this.refuseShape('--watch');
    this.isFollowing = true;
    const { watchFlows } = await import('./shown-flows-watch.js');
    const end = await watchFlows(list, {
      flows,
      terminal: this.terminal(flags),
      json: this.jsonEnabled(),
      clock: this.context().clock,
      mask: this.mask,
      signal: this.signal,
    });
    if (end === 'interrupted') this.setExitCode(130);
  }

  /** A followed list prints lines as they come; no document follows them. */
  protected override logJson(json: unknown): void {
    if (!this.isFollowing) super.logJson(json);
  }
}

/** Flows as a list that can be followed. */
export function followedFlows(
  { operator }: Pick<Flows, 'operator'>,
  filter: FlowFilter,
  clock: Clock,
): FollowedList {
  const read = async () => {
    const { entries, total } = await operator.listFlows(filter);
    const now = clock.now();
    const shown = entries.map((entry) => {
      return { row: flowRow(entry, now), json: flowEntryOutput(entry) };
    });
    return { entries: shown, total };
  };
  return { kind: 'flows', read };
}

/** Tasks as a list that can be followed. */
export function followedTasks(
  { operator }: Pick<Flows, 'operator'>,
  filter: TaskFilter,
  clock: Clock,
): FollowedList {
  const read = async () => {
    const { entries, total } = await operator.listTasks(filter);
    const now = clock.now();
    const shown = entries.map((task) => ({ row: taskRow(task, now), json: taskOutput(task) }));
    return { entries: shown, total };
  };
  return { kind: 'tasks', read };
}
