import type { ConfigPath } from '../config-path.js';
import { cronEverFires, parseCron } from '../cron.js';
import { fault, type RuleFinding } from './rule.js';

/** A schedule must be valid and fire at some time. */
export function* cronFaults(frequency: string, path: ConfigPath): Iterable<RuleFinding> {
  const result = parseCron(frequency);
  if (result.ok && cronEverFires(result.fields)) return;
  yield fault('cron-never-fires', path, {
    message: result.ok
      ? `the schedule ${JSON.stringify(frequency)} never fires: none of its months has such a day`
      : `the schedule ${JSON.stringify(frequency)} is invalid: ${result.reason}`,
    expected: 'minute, hour, day of month, month and day of week, like "0 3 * * *"',
  });
}
