import { SvcError } from '../engine/errors/index.js';
import { FLOW_STATUSES, type FlowRecord } from '../engine/flow-model/flow-record.js';
import { TASK_RUNTIMES, TASK_STATUSES, type TaskRecord } from '../engine/flow-model/task-record.js';
import {
  type Flows,
  type LeaseAnswer,
  openFlows,
  type TaskLease,
  type WaitOptions,
} from '../engine/flows/index.js';
import { anySignal } from '../engine/support/async.js';
import { formatClock, formatDuration } from '../engine/support/format.js';
import { waitWords } from '../ui/flows/rows.js';
import type { View } from '../ui/style.js';
import { BaseCommand } from './base-command.js';
import { readDuration, readSince, sinceFlag, type TimeContext } from './flag-times.js';
import { choicesFlag, idArg, limitFlag, numberFlag, switchFlag, textFlag } from './flags.js';
import type { Followed } from './watch-flows.js';

/** Base of commands that work on flows: opens them and closes them at the end. */
export abstract class FlowsCommand extends BaseCommand {
  private isOutageReported = false;

  /** Warns once that the server does not answer; the command keeps trying. */
  protected readonly onOutage = ({ message, hint }: SvcError): void => {
    if (this.isOutageReported || this.signal.aborted) return;
    this.isOutageReported = true;
    this.addWarning({ code: 'STORAGE_UNAVAILABLE', message: `${message}; retrying`, hint }, true);
  };

  private opened: Flows | undefined;

  /** The flows of the state folder. */
  protected async openFlows(): Promise<Flows> {
    return (await this.openConfigured()).flows;
  }

  /** The same, with the configuration. */
  protected async openConfigured() {
    const { resolved } = await this.loadConfig();
    this.opened = await openFlows(this.context(), resolved);
    return { flows: this.opened, config: resolved };
  }

  /** Times of flows are those of their store: on a shared server, of its clock. */
  protected override view(): View {
    const view = super.view();
    return this.opened === undefined ? view : { ...view, nowMs: this.opened.now() };
  }

  protected override async finally(): Promise<void> {
    await super.finally();
    await this.opened?.close();
  }
}

/** Base of the commands with which a worker reports on its task. */
export abstract class ReportCommand extends FlowsCommand {
  /** Sends a report. @returns the task after it @throws SvcError if it is refused */
  protected async report(
    task: string,
    flags: { readonly 'lease-token'?: string | undefined },
    send: (tasks: Flows['tasks'], lease: TaskLease) => Promise<LeaseAnswer>,
  ): Promise<TaskRecord> {
    const lease = { taskId: task, token: flags['lease-token'] };
    const { tasks } = await this.openFlows();
    const answer = await send(tasks, lease);
    if (!answer.ok) throw leaseError(answer, lease);
    return answer.task;
  }
}

function leaseError(
  refusal: Extract<LeaseAnswer, { ok: false }>,
  { taskId, token }: TaskLease,
): SvcError {
  switch (refusal.code) {
    case 'not_found':
      return new SvcError('TASK_NOT_FOUND', `task ${taskId} not found`, {
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
  return choicesFlag(TASK_RUNTIMES, summary, 'RUNTIME');
}

/** `--route`: who created a flow. */
export const routeFlag = textFlag('Select flows that this webhook route created.', 'ROUTE');

/** Default of `--limit` of a list. */
export const MOST_LISTED = 50;
/** More than a terminal has rows. */
export const MOST_WATCHED = 200;

const filterFlags = {
  session: textFlag('Show only those of this session.', 'KEY', { aliases: ['owner'] }),
  since: sinceFlag,
};

/** Flags that limit which flows are listed. */
export function flowFilterFlags(defaultLimit: number) {
  return {
    ...filterFlags,
    limit: limitFlag(defaultLimit),
    status: choicesFlag(FLOW_STATUSES, 'Show only flows in this state.', 'STATUS'),
    route: routeFlag,
  };
}

/** Flags that limit which tasks are listed. */
export function taskFilterFlags(defaultLimit: number) {
  return {
    ...filterFlags,
    limit: limitFlag(defaultLimit),
    status: choicesFlag(TASK_STATUSES, 'Show only tasks in this state.', 'STATUS'),
    runtime: runtimesFlag('Show only tasks for this runtime.'),
  };
}

/** Flags of the lists of flows and tasks that do not limit them. */
export const listFlags = {
  audit: switchFlag('Show stuck, lost or inconsistent entries; exit with 1 on errors.', {
    exclusive: ['watch'],
  }),
  watch: switchFlag('Keep running and show changes.'),
};

/** Base of the commands that list flows or tasks, and can follow the list. */
export abstract class ListCommand extends FlowsCommand {
  /** Follows a list until the user quits. With `--json`, each change is one line. */
  protected async watch(
    list: Followed,
    /** As the user wrote it. */
    flag = '--watch',
  ): Promise<void> {
    this.switchToLines(flag);
    const flows = await this.openFlows();
    const { watchFlows } = await import('./watch-flows.js');
    const command = await this.commandContext();
    // SIGTERM ends the list in order, as quitting does.
    const terminated = new AbortController();
    const onTerminate = (): void => terminated.abort();
    process.on('SIGTERM', onTerminate);
    try {
      const signal = anySignal([this.signal, terminated.signal]);
      const end = await watchFlows(list, flows, { ...command, signal }, this.onOutage);
      if (end === 'interrupted' && !terminated.signal.aborted) this.setExitCode(130);
    } finally {
      process.off('SIGTERM', onTerminate);
    }
  }
}

/** Which flows or tasks the flags ask for. @throws SvcError USAGE for an invalid --since */
export async function recordFilter<Status>(
  flags: {
    readonly session?: string | undefined;
    readonly since?: string | undefined;
    readonly limit: number;
    readonly status?: readonly Status[] | undefined;
  },
  times: TimeContext,
) {
  const { session: ownerKey, since, limit, status: statuses } = flags;
  return { ownerKey, sinceMs: await readSince(since, times), limit, statuses };
}

export const targetFlag = {
  target: textFlag('Only the notification for this target.', 'TARGET'),
};

export const notificationFlags = {
  ...targetFlag,
  flow: textFlag('Only those of this flow (whole ID).', 'ID'),
};

export const notificationArgs = {
  notification: idArg({ required: true, description: 'Its number, or its whole ID.' }),
};

export const waitFlags = {
  timeout: textFlag('Stop waiting after this time and exit with 124.', 'DURATION'),
};

/** Base of `svc flow wait` and `svc task wait`. */
export abstract class WaitCommand extends FlowsCommand {
  /** Waits for the end of one, prints its changes to stderr on a terminal, and fails unless it succeeded. */
  protected async waitFor<R extends FlowRecord | TaskRecord>(
    kind: 'flow' | 'task',
    { timeout }: { readonly timeout: string | undefined },
    wait: (options: WaitOptions<R>) => Promise<R>,
  ): Promise<R> {
    const { clock } = this.context();
    const startedMs = clock.now();
    const { style } = this.view();
    const isShown = process.stderr.isTTY && !this.shared.quiet;
    let shown = '';
    const ended = await wait({
      signal: this.signal,
      timeoutMs: timeout === undefined ? undefined : readDuration(timeout, '--timeout'),
      onOutage: this.onOutage,
      onChange: (record) => {
        const words = waitWords(record, style);
        // A heartbeat only extends the lease.
        if (isShown && words !== shown) {
          this.note(`${style.dim(formatClock(clock.now()))}  ${words}`);
        }
        shown = words;
      },
    });
    if (ended.status !== 'succeeded') this.setExitCode(1);
    const id = 'taskId' in ended ? ended.taskId : ended.flowId;
    this.write(`${kind} ${id} ${ended.status} (waited ${formatDuration(clock.now() - startedMs)})`);
    return ended;
  }
}

export const leaseArgs = {
  task: idArg({ required: true, description: 'Task ID from "svc task claim".' }),
};

/** `--lease-seconds`. */
export function leaseSecondsFlag(summary: string) {
  return numberFlag(summary, { min: 1, max: 86_400 });
}

/** How a worker proves that it holds the task. */
export const leaseFlags = {
  'lease-token': textFlag('Lease token from "svc task claim"; safer in SVC_LEASE_TOKEN.', 'TOKEN'),
};
