import { openExistingFlows, type PauseRecord } from '../../flows/index.js';
import { formatDuration } from '../../support/format.js';
import { MS_PER_DAY } from '../../support/time.js';
import { type DoctorCheck, type Finding, finding } from '../check.js';

/** Whether the flows can be opened, and tasks are not forgotten in a pause. */
export const flows: DoctorCheck = {
  name: 'flows',
  needs: 'configuration',
  run: async ({ context, loaded }) => {
    const opened = await openExistingFlows(context, loaded.resolved);
    if (opened === undefined) return { summary: 'none', findings: [], off: true };
    try {
      const paused = await opened.tasks.paused();
      const findings = paused.map((pause) => longPause(pause, opened.now()));
      return { summary: paused.length === 0 ? 'not paused' : 'paused', findings };
    } finally {
      await opened.close();
    }
  },
};

function longPause({ runtime, reason, pausedAt }: PauseRecord, nowMs: number): Finding | undefined {
  const forMs = nowMs - pausedAt;
  if (forMs < MS_PER_DAY) return undefined;
  return finding('tasks-paused', 'note', {
    message: `${runtime} tasks have been paused for ${formatDuration(forMs)}`,
    ...(reason === null ? {} : { cause: reason }),
    hint: `run "svc task resume --runtime ${runtime}" to let workers claim them`,
  });
}
