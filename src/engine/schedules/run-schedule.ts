import type { ResolvedConfig } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import type { FlowRecord, Flows } from '../flows/index.js';
import { configuredSchedule } from './configured-schedules.js';

/** Runs a schedule by hand, whenever it is due. @throws SvcError SCHEDULE_UNKNOWN, SCHEDULE_INVALID */
export async function runSchedule(
  id: string,
  config: ResolvedConfig,
  { schedules }: Pick<Flows, 'schedules'>,
): Promise<FlowRecord> {
  const outcome = await schedules.runNow(configuredSchedule(id, config));
  if (outcome.type === 'ran') return outcome.flow;
  const error = outcome.type === 'invalid' ? outcome.error : `it ${outcome.type}`;
  throw new SvcError('SCHEDULE_INVALID', `schedule ${id} makes no valid flow: ${error}`, {
    hint: 'check set and task of the schedule; "svc config validate" shows what is wrong',
  });
}
