import * as z from 'zod/mini';
import {
  type DocumentOf,
  documentSchema,
  field,
  listField,
  objectOrNullField,
} from '../errors/output-schema.js';
import { FLOW_STATUSES } from '../flow-model/flow-record.js';
import { flowSchema } from '../flow-model/record-schemas.js';

const timing = {
  cron: field.text('As configured.'),
  timezone: field.textOrNull('Its time zone; `null` for the one of the host.'),
};

/** `svc schedule list --json`. */
export const scheduleListOutputSchema = documentSchema({
  schedules: listField('In the order of the configuration.', {
    id: field.text('Its name in the configuration.'),
    state: field(
      z.enum(['disabled', 'overdue', 'waiting']),
      '`overdue` if a run was due a minute ago or more and has not happened.',
    ),
    ...timing,
    nextRunAt: field.timeOrNull('When it is due next; `null` if it is disabled.'),
    lastRunAt: field.timeOrNull('When it created its last flow; `null` before the first.'),
    lastFlow: objectOrNullField('The last flow; `null` before the first.', {
      flowId: field.text('The flow.'),
      status: field(z.nullable(z.enum(FLOW_STATUSES)), 'Its state; `null` once it was pruned.'),
    }),
  }),
});

/** `svc schedule next --json`. */
export const scheduleNextOutputSchema = documentSchema({
  id: field.text('The schedule.'),
  enabled: field.flag('Whether it runs.'),
  ...timing,
  runs: field(z.array(z.iso.datetime()), 'When it is due, soonest first.'),
});

/** `svc schedule run --json`. */
export const scheduleRunOutputSchema = documentSchema({
  id: field.text('The schedule.'),
  flow: field(flowSchema, 'The flow that was created.'),
});

/** The documents without their warnings, which the command base adds. */
export type ScheduleListOutput = DocumentOf<typeof scheduleListOutputSchema>;
export type ScheduleNextOutput = DocumentOf<typeof scheduleNextOutputSchema>;
export type ScheduleRunOutput = DocumentOf<typeof scheduleRunOutputSchema>;
