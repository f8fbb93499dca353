import type { ConfigPath } from '../config-path.js';
import { cronEverFires, parseCron } from '../cron.js';
import type { Rule } from './finding.js';

const PATH: ConfigPath = ['plugins', 'entries', 'memory-core', 'config', 'dreaming', 'frequency'];

/** A schedule that can be read and that comes round at some time (spec/memory-search §2.13). */
export const scheduleFires: Rule = function* (input) {
  const frequency = input.plugins?.entries?.['memory-core']?.config?.dreaming?.frequency;
  if (frequency === undefined) return;
  const result = parseCron(frequency);
  if (result.ok && cronEverFires(result.fields)) return;
  yield {
    severity: 'fault',
    code: 'cron-never-fires',
    path: PATH,
    message: result.ok
      ? `the schedule ${JSON.stringify(frequency)} never fires: no month it names has such a day`
      : `the schedule ${JSON.stringify(frequency)} cannot be read: ${result.reason}`,
    expected: 'minute, hour, day of month, month and day of week, like "0 3 * * *"',
  };
};
