import * as z from 'zod/mini';
import { key, NOTES, pattern, requiredKey, storedName, text, timeZone } from './keys.js';
import { actionFields } from './webhooks.js';

const schedule = () =>
  z.strictObject({
    enabled: key(z.boolean(), 'Run the schedule'),
    cron: requiredKey(
      text(),
      'When to run, as minute, hour, day of month, month and day of week: `0 3 * * *` is every night at 3',
    ),
    timezone: key(timeZone(), 'Time zone of `cron`, if not `agents.defaults.userTimezone`'),
    action: key(z.enum(['create_flow']), 'What to do'),
    set: key(
      actionFields(),
      'Fields of the flow; strings can contain `{/schedule}`, `{/scheduledAt}` and `{/ranAt}`',
    ),
    task: key(actionFields(), 'Fields of a `run_task` in the new flow'),
    sessionKey: key(storedName('a name'), 'Session that owns the flows; required without `route`'),
    route: key(
      text(),
      'Webhook route whose session and controller the flows get, so that its sender can drive them',
    ),
    controllerId: key(text(), 'Controller id of the flows'),
    overlap: key(
      z.enum(['allow', 'skip']),
      'What to do if the last flow has not ended: create another one, or skip this run',
    ),
    description: key(text(), 'Note for operators'),
  });

/** `schedules`: flows that are created at set times. */
export function schedules() {
  const scheduleId = pattern(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u,
    'at most 64 letters, digits, dots, _ and -, starting with a letter or digit',
  );
  return z.record(scheduleId, schedule()).register(NOTES, { form: 'an object of schedules by id' });
}
