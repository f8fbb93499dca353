import { statSync } from 'node:fs';
import type { PauseRecord } from '../../flow-model/task-record.js';
import {
  type Flows,
  flowsFile,
  notificationTargets,
  openExistingFlows,
  unclaimedProblem,
} from '../../flows/index.js';
import { listSchedules } from '../../schedules/index.js';
import { integrityComplaint, MOST_CHECKED_BYTES } from '../../sqlite/database.js';
import { formatCountOf, formatDuration } from '../../support/format.js';
import { MS_PER_DAY } from '../../support/time.js';
import {
  type CheckReport,
  type ConfiguredWorld,
  configuredCheck,
  type Finding,
  finding,
} from '../check.js';

/** Whether the flows can be opened and are intact, and tasks neither wait in vain nor are forgotten in a pause. */
export const flows = configuredCheck('flows', (world) =>
  withFlows(world, NO_FLOWS, async ({ operator, tasks, now }) => {
    const paused = await tasks.paused();
    const findings = [damage(world), ...paused.map((pause) => longPause(pause, now()))];
    for (const waiting of await operator.unclaimedTasks()) {
      const problem = unclaimedProblem(waiting, now());
      findings.push(finding('tasks-unclaimed', 'warning', problem));
    }
    return { summary: paused.length === 0 ? 'not paused' : 'paused', findings };
  }),
);

const NO_FLOWS: CheckReport = { summary: 'none', findings: [], off: true };

/** @param emptyReport the report where there are no flows */
async function withFlows(
  { context, loaded }: ConfiguredWorld,
  emptyReport: CheckReport,
  check: (flows: Flows) => Promise<CheckReport>,
): Promise<CheckReport> {
  const flows = await openExistingFlows(context, loaded.resolved);
  if (flows === undefined) return emptyReport;
  try {
    return await check(flows);
  } finally {
    await flows.close();
  }
}

/** Some damage only shows when a flow is read. */
function damage({ context, loaded }: ConfiguredWorld): Finding | undefined {
  if (loaded.resolved.storage.url !== undefined) return undefined;
  const file = flowsFile(context);
  const place = { file };
  if (statSync(file).size > MOST_CHECKED_BYTES) {
    const message = 'the flows are too large to check for damage';
    return finding('flows-unchecked', 'note', { message, place });
  }
  const complaint = integrityComplaint(file);
  if (complaint === undefined) return undefined;
  return finding('flows-damaged', 'fault', {
    message: 'the flows are damaged',
    cause: complaint,
    place,
    hint: 'stop "svc serve", move the file and its -wal and -shm files away, and restore a copy or start over',
  });
}

function longPause({ runtime, reason, pausedAt }: PauseRecord, nowMs: number): Finding | undefined {
  const forMs = nowMs - pausedAt;
  if (forMs < MS_PER_DAY) return undefined;
  return finding('tasks-paused', 'note', {
    message: `${runtime} tasks have been paused for ${formatDuration(forMs)}`,
    ...(reason === null ? {} : { cause: reason }),
    hint: `run "svc task resume --runtime ${runtime}" to let workers claim them`,
  });
}

/** The newest failures, which name the targets that have some. */
const MOST_READ = 1000;

/** Whether notifications reach their targets. */
export const notifications = configuredCheck('notifications', (world) =>
  withFlows(world, NO_FLOWS, async (flows) => {
    const { notifications: pending } = await flows.statistics();
    const configured = notificationTargets(world.loaded.resolved).map(({ filter }) => filter.id);
    const stranded = pending.filter(({ target }) => !configured.includes(target));
    const findings = [...(await failures(flows, world.mask)), ...stranded.map(withoutTarget)];
    const count = pending.reduce((sum, one) => sum + one.count, 0);
    return { summary: `${formatCountOf(count, 'notification')} pending`, findings };
  }),
);

/** One finding for each target that did not get some, with the reason of the newest. */
async function failures(
  { operator }: Flows,
  mask: { text(text: string): string },
): Promise<readonly Finding[]> {
  const failed = { outcome: 'failed' } as const;
  const { entries } = await operator.listNotifications({ ...failed, limit: MOST_READ });
  const findings: Finding[] = [];
  for (const target of new Set(entries.map((one) => one.target))) {
    const { total } = await operator.listNotifications({ ...failed, target, limit: 1 });
    const error = entries.find((one) => one.target === target)?.lastError;
    findings.push(
      finding('notifications-failed', 'warning', {
        message: `${formatCountOf(total, 'notification')} could not be delivered to the target ${target}`,
        ...(error == null ? {} : { cause: mask.text(error) }),
        hint: `run "svc notification list --failed --target ${target}", fix the target, then "svc notification retry --failed"`,
      }),
    );
  }
  return findings;
}

function withoutTarget({
  target,
  count,
}: {
  readonly target: string;
  readonly count: number;
}): Finding {
  return finding('notification-target-missing', 'warning', {
    message: `${formatCountOf(count, 'notification')} pending for the target ${target}, which is not configured`,
    cause: 'svc serve gives up on each ten minutes after it is due',
    hint: `configure the target ${target} again, or wait`,
  });
}

/** Whether something runs the schedules. */
export const schedules = configuredCheck('schedules', async (world) => {
  const { loaded, placeOf } = world;
  const { resolved } = loaded;
  const count = Object.keys(resolved.schedules).length;
  if (count === 0) return { summary: 'none', findings: [], off: true };
  const summary = formatCountOf(count, 'schedule');
  return withFlows(world, { summary, findings: [] }, async (flows) => {
    const listed = await listSchedules(resolved, flows);
    const findings = listed
      .filter(({ state }) => state === 'overdue')
      .map(({ id }) =>
        finding('schedule-overdue', 'warning', {
          message: `schedule ${id} was due and has not run`,
          place: placeOf(['schedules', id]),
          hint: 'start "svc serve", which makes up for missed runs once, or check its log',
        }),
      );
    return { summary, findings };
  });
});
