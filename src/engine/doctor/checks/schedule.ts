import { parseCron } from '../../config/cron.js';
import { nextRuns } from '../../dreaming/schedule/next-runs.js';
import type { DoctorCheck } from '../check.js';
import type { Finding } from '../finding.js';
import type { ConfiguredWorld } from '../world.js';

const DREAMING = ['plugins', 'entries', 'memory-core', 'config', 'dreaming'] as const;
const LONG_MS = 366 * 86_400_000;

/** When the schedule of consolidation fires next. One that never does is a fault of the file. */
export const schedule: DoctorCheck = {
  name: 'schedule',
  needs: 'configuration',
  run: async (world) => {
    const { resolved } = world.loaded;
    const { dreaming } = resolved.plugins.entries['memory-core'].config;
    if (!dreaming.enabled) return { summary: 'dreaming is off', findings: [], off: true };
    const timeZone = dreaming.timezone ?? resolved.agents.defaults.userTimezone;
    const cron = parseCron(dreaming.frequency);
    const nowMs = world.context.clock.now();
    const [nextMs] = cron.ok ? nextRuns(dreaming.frequency, timeZone, nowMs, 1) : [];
    if (nextMs === undefined) {
      return { summary: 'never', findings: [rare(world, 'never comes round')] };
    }
    const summary = `next run ${new Date(nextMs).toISOString()}`;
    const isRare = nextMs - nowMs > LONG_MS;
    const findings = isRare ? [rare(world, 'comes round in more than a year')] : [];
    return { summary, findings };
  },
};

function rare({ placeOf }: ConfiguredWorld, what: string): Finding {
  const place = placeOf([...DREAMING, 'frequency']);
  return {
    code: 'schedule-rare',
    severity: 'warning',
    message: `the schedule of dreaming ${what}`,
    ...(place === undefined ? {} : { place }),
    hint: 'minute, hour, day of month, month and day of week, like "0 3 * * *" for every night',
  };
}
