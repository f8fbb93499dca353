import { SvcError } from '../errors/index.js';
import type { SweepRecord, SweepRecords } from './store/sweep-records.js';

/**
 * A sweep by its id; the last one when none is named.
 *
 * @param sweeps undefined where there was none yet
 * @throws SvcError DREAM_SWEEP_UNKNOWN
 */
export function findSweep(
  sweeps: Pick<SweepRecords, 'get' | 'list'> | undefined,
  id: string | undefined,
): SweepRecord {
  const found = id === undefined ? sweeps?.list(1)[0] : sweeps?.get(id);
  if (found !== undefined) return found;
  const what = id === undefined ? 'there was no sweep yet' : `there is no sweep ${id}`;
  throw new SvcError('DREAM_SWEEP_UNKNOWN', what, {
    hint: 'svc dream list shows the sweeps that ran',
  });
}
