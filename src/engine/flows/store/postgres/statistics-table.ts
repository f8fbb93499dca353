import type { StatisticsRows } from '../../flow-store.js';
import {
  type EndedRecords,
  type FlowStatistics,
  type Period,
  statisticsSql,
} from '../../statistics.js';
import type { Turn } from './batch.js';

const SQL = statisticsSql('svc.', ['$1', '$2']);

/** What metrics count. */
export class StatisticsTable implements StatisticsRows {
  private readonly turn: Turn;

  constructor(turn: Turn) {
    this.turn = turn;
  }

  async now(): Promise<FlowStatistics> {
    const { batch } = this.turn;
    return {
      flows: await batch.query<FlowStatistics['flows'][number]>(SQL.flows),
      queued: await batch.query<FlowStatistics['queued'][number]>(SQL.queued),
      running: await batch.query<FlowStatistics['running'][number]>(SQL.running),
      notifications: await batch.query<FlowStatistics['notifications'][number]>(SQL.notifications),
    };
  }

  async ended({ fromMs, toMs }: Period): Promise<EndedRecords> {
    const { batch } = this.turn;
    const values = [fromMs, toMs];
    return {
      flows: await batch.query<EndedRecords['flows'][number]>(SQL.endedFlows, values),
      tasks: await batch.query<EndedRecords['tasks'][number]>(SQL.endedTasks, values),
      notifications: await batch.query<EndedRecords['notifications'][number]>(SQL.settled, values),
    };
  }
}
