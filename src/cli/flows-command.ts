import * as Flags from '@oclif/core/flags';
import { SvcError } from '../engine/errors/index.js';
import {
  FLOW_STATUSES,
  type FlowFilter,
  type FlowStatus,
  type Flows,
  flowEntryOutput,
  type LeaseRefusal,
  openFlows,
  TASK_RUNTIMES,
  TASK_STATUSES,
  type TaskFilter,
  type TaskLease,
  type TaskRecord,
  type TaskStatus,
  taskOutput,
} from '../engine/flows/index.js';
import { anySignal } from '../engine/support/async.js';
import type { Clock } from '../engine/support/context.js';
import { flowDetails, taskDetails } from '../ui/flows/details.js';
import { flowRow, taskRow } from '../ui/flows/rows.js';
import { BaseCommand } from './base-command.js';
import { limitFlag, readSince, sinceFlag, withEnvironment } from './flags.js';
import type { FollowedList } from './shown-flows-watch.js';

/** Base of commands that work on flows: opens them and closes them at the end. */
export abstract class FlowsCommand<Result extends object> extends BaseCommand<Result> {
  private opened: Flows | undefined;

  /** The flows of the state folder. */
  protected async openFlows(flags: { readonly config?: string | undefined }): Promise<Flows> {
    return (await this.openConfigured(flags)).flows;
  }

  /** The same, with the configuration. */
  protected async openConfigured(flags: { readonly config?: string | undefined }) {
    const { resolved } = await this.loadConfig(flags);
    this.opened = await openFlows(this.context(), resolved);
    return { flows: this.opened, config: resolved };
  }

  protected override async finally(): Promise<void> {
    await super.finally();
    await this.opened?.close();
  }
}

/** The error for a worker whose report was refused. */
export function leaseError(refusal: LeaseRefusal, { taskId, token }: TaskLease): SvcError {
  switch (refusal.code) {
    case 'not_found':
      return new SvcError('TASK_NOT_FOUND', `task not found: ${taskId}`, {
        hint: '"svc task claim" prints the ID; an old task may have been pruned',
      });
    case 'ended':
      return new SvcError(
        'TASK_ENDED',
        `task ${taskId} has already ended: ${refusal.task.status}`,
        { hint: 'stop working on it' },
      );
    case 'lease_lost':
      // Not sooner: a task that runs elsewhere has no token.
      if (token === undefined) {
        return new SvcError('USAGE', `the lease token of task ${taskId} is missing`, {
          hint: 'pass --lease-token, or set SVC_LEASE_TOKEN',
        });
      }
      return new SvcError('TASK_LEASE_LOST', `the lease token of task ${taskId} is not valid`, {
        hint: 'the lease may have expired: stop working on the task',
      });
  }
}

/** `--runtime`, once or more. */
export function runtimesFlag(summary: string) {
  return Flags.option({ options: TASK_RUNTIMES, multiple: true, summary, helpValue: 'RUNTIME' })();
}

/** `--route`: who created a flow. */
export const routeFlag = Flags.string({
  summary: 'Select flows that this webhook route created.',
  helpValue: 'ROUTE',
});

/** Default of `--limit` of a list. */
export const MOST_LISTED = 50;
/** More than a terminal has rows. */
export const MOST_WATCHED = 200;

const filterFlags = {
  session: Flags.string({
    summary: 'Show only those of this session.',
    helpValue: 'KEY',
    aliases: ['owner'],
  }),
  since: sinceFlag,
};

/** Flags that limit which flows are listed. @param shown default of `--limit` */
export function flowFilterFlags(shown: number) {
  return withEnvironment({
    ...filterFlags,
    limit: limitFlag(shown),
    status: Flags.option({
      options: FLOW_STATUSES,
      multiple: true,
      summary: 'Show only flows in this state.',
      helpValue: 'STATUS',
    })(),
    route: routeFlag,
  });
}

/** Flags that limit which tasks are listed. @param shown default of `--limit` */
export function taskFilterFlags(shown: number) {
  return withEnvironment({
    ...filterFlags,
    limit: limitFlag(shown),
    status: Flags.option({
      options: TASK_STATUSES,
      multiple: true,
      summary: 'Show only tasks in this state.',
      helpValue: 'STATUS',
    })(),
    runtime: runtimesFlag('Show only tasks for this runtime.'),
  });
}

/** Flags of the lists of flows and tasks that do not limit them. */
export const listFlags = withEnvironment({
  audit: Flags.boolean({
    summary: 'Show stuck, lost or inconsistent entries; exit with 1 on errors.',
    exclusive: ['watch'],
  }),
  watch: Flags.boolean({ summary: 'Keep running and show changes.' }),
});

/** Base of the commands that list flows or tasks, and can follow the list. */
export abstract class ListCommand<Result extends object> extends FlowsCommand<Result> {
  private isFollowing = false;

  /** Follows a list until the user quits. With `--json`, each change is one line. */
  protected async watch(
    flows: Flows,
    flags: { readonly plain: boolean },
    list: FollowedList,
    /** As the user wrote it. */
    asked = '--watch',
  ): Promise<void> {
    this.refuseShape(asked);
    this.isFollowing = true;
    const { watchFlows } = await import('./shown-flows-watch.js');
    const terminal = await this.screenTerminal(flags);
    // SIGTERM ends the list in order, as quitting does.
    const terminated = new AbortController();
    const onTerminate = (): void => terminated.abort();
    process.on('SIGTERM', onTerminate);
    try {
      const end = await watchFlows(list, {
        flows,
        terminal,
        json: this.jsonEnabled(),
        clock: this.context().clock,
        mask: this.mask,
        signal: anySignal([this.signal, terminated.signal]),
      });
      if (end === 'interrupted' && !terminated.signal.aborted) this.setExitCode(130);
    } finally {
      process.off('SIGTERM', onTerminate);
    }
  }

  /** A followed list prints lines as they come; no document follows them. */
  protected override logJson(json: unknown): void {
    if (!this.isFollowing) super.logJson(json);
  }
}

interface FilterFlags {
  readonly session?: string | undefined;
  readonly since?: string | undefined;
  readonly limit: number;
}

/** Which flows the flags ask for. @throws SvcError USAGE for an invalid --since */
export function flowFilter(
  flags: FilterFlags & {
    readonly status?: readonly FlowStatus[] | undefined;
    readonly route?: string | undefined;
  },
  clock: Clock,
): FlowFilter {
  return { ...recordFilter(flags, clock), statuses: flags.status, route: flags.route };
}

/** Which tasks the flags ask for. @throws SvcError USAGE for an invalid --since */
export function taskFilter(
  flags: FilterFlags & {
    readonly status?: readonly TaskStatus[] | undefined;
    readonly runtime?: TaskFilter['runtimes'];
  },
  clock: Clock,
): TaskFilter {
  return { ...recordFilter(flags, clock), statuses: flags.status, runtimes: flags.runtime };
}

function recordFilter({ session, since, limit }: FilterFlags, clock: Clock) {
  return { ownerKey: session, sinceMs: readSince(since, clock.now()), limit };
}

/** Flows as a list that can be followed. */
export function followedFlows(
  { operator }: Pick<Flows, 'operator'>,
  filter: FlowFilter,
  clock: Clock,
): FollowedList {
  return {
    kind: 'flows',
    choices: filter.statuses === undefined ? CHOICES : ['all'],
    read: async (choice) => {
      const statuses = choice === 'all' ? filter.statuses : FLOW_CHOICES[choice];
      const { entries, total } = await operator.listFlows({ ...filter, statuses });
      const now = clock.now();
      const shown = entries.map((entry) => {
        return { row: flowRow(entry, now), json: flowEntryOutput(entry) };
      });
      return { entries: shown, total };
    },
    details: async (id, style) => flowDetails(await operator.showFlow(id), style, clock.now()),
    paused: async () => [],
    cancel: async (id) => cancelledFlowWords(await operator.cancelFlow(id)),
    retry: undefined,
  };
}

/** Tasks as a list that can be followed. */
export function followedTasks(
  { operator, tasks }: Pick<Flows, 'operator' | 'tasks'>,
  filter: TaskFilter,
  clock: Clock,
): FollowedList {
  return {
    kind: 'tasks',
    choices: filter.statuses === undefined ? CHOICES : ['all'],
    read: async (choice) => {
      const statuses = choice === 'all' ? filter.statuses : TASK_CHOICES[choice];
      const { entries, total } = await operator.listTasks({ ...filter, statuses });
      const now = clock.now();
      const shown = entries.map((task) => ({ row: taskRow(task, now), json: taskOutput(task) }));
      return { entries: shown, total };
    },
    details: async (id, style) => taskDetails(await operator.showTask(id), style, clock.now()),
    paused: tasks.paused,
    cancel: async (id) => cancelledTaskWords(await tasks.cancel(id)),
    retry: async (id) => `task ${(await tasks.retry(id)).taskId} is queued`,
  };
}

const CHOICES = ['all', 'active', 'failed'] as const;
const FLOW_CHOICES = {
  active: ['queued', 'running', 'waiting', 'blocked'],
  failed: ['failed', 'lost'],
} as const satisfies Readonly<Record<string, readonly FlowStatus[]>>;
const TASK_CHOICES = {
  active: ['queued', 'running'],
  failed: ['failed', 'timed_out', 'lost'],
} as const satisfies Readonly<Record<string, readonly TaskStatus[]>>;

/** The result of cancelling a flow. */
export function cancelledFlowWords({
  state,
  flow,
}: Awaited<ReturnType<Flows['operator']['cancelFlow']>>): string {
  return state === 'cancelled'
    ? `cancelled flow ${flow.flowId}`
    : `flow ${flow.flowId} ends when its running tasks have stopped`;
}

/** The result of cancelling a task. */
export function cancelledTaskWords({ status, taskId }: TaskRecord): string {
  return status === 'cancelled'
    ? `cancelled task ${taskId}`
    : `task ${taskId} ends when its worker has stopped`;
}
