import { openExistingFlows } from '../../flows/index.js';
import { listSchedules } from '../../schedules/index.js';
import { formatCountOf } from '../../support/format.js';
import { type DoctorCheck, finding } from '../check.js';

/** Whether something runs the schedules. */
export const schedules: DoctorCheck = {
  name: 'schedules',
  needs: 'configuration',
  run: async ({ context, loaded, placeOf }) => {
    const { resolved } = loaded;
    const count = Object.keys(resolved.schedules).length;
    if (count === 0) return { summary: 'none', findings: [], off: true };
    const summary = formatCountOf(count, 'schedule');
    const flows = await openExistingFlows(context, resolved);
    if (flows === undefined) return { summary, findings: [] };
    try {
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
    } finally {
      await flows.close();
    }
  },
};
