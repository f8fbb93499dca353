import type { Connection } from '../../../sqlite/database.js';
import type { StatisticsRows } from '../../flow-store.js';
import { type EndedRecords, type FlowStatistics, statisticsSql } from '../../statistics.js';

/** What metrics count. */
export function statisticsRows(database: Connection): StatisticsRows {
  const sql = statisticsSql('', ['@fromMs', '@toMs']);
  const all = <Row>(text: string, values: object = {}): readonly Row[] =>
    database.prepare<[object], Row>(text).all(values);
  return {
    now: async () => ({
      flows: all<FlowStatistics['flows'][number]>(sql.flows),
      queued: all<FlowStatistics['queued'][number]>(sql.queued),
      running: all<FlowStatistics['running'][number]>(sql.running),
      notifications: all<FlowStatistics['notifications'][number]>(sql.notifications),
    }),
    ended: async (period) => ({
      flows: all<EndedRecords['flows'][number]>(sql.endedFlows, period),
      tasks: all<EndedRecords['tasks'][number]>(sql.endedTasks, period),
      notifications: all<EndedRecords['notifications'][number]>(sql.settled, period),
    }),
  };
}
