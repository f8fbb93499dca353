import type { SweepRecords } from '../store/sweep-records.js';

/** Names a sweep by its moment, in UTC; a second one of the same second gets a number. */
export function newSweepId(nowMs: number, sweeps: SweepRecords): string {
  const moment = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/gu, '');
  for (let number = 1; ; number++) {
    const id = number === 1 ? moment : `${moment}-${number}`;
    if (sweeps.get(id) === undefined) return id;
  }
}
