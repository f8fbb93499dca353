import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { TempFolder } from '../../test/support/temp-folder.js';
import { act } from '../../test/support/webhooks.js';

const CLIENTS = 4;
const PAUSE_MS = 40;
/** One in this many flows has a task, which is a process. */
const TASK_EVERY = 40;

/** Clients that create and update flows. */
export interface Load {
  /** Acknowledged flows. */
  readonly flows: () => number;
  /** Complaints about acknowledged flows that are missing. */
  readonly lost: (home: TempFolder) => readonly string[];
  /** Unexpected responses. */
  readonly complaints: () => readonly string[];
  readonly ended: Promise<unknown>;
}

/** Starts the clients, which run until stopped. */
export function loadWebhooks(url: string, isOver: { readonly value: boolean }): Load {
  const finished = new Set<string>();
  const complaints: string[] = [];
  let count = 0;
  const perform = async (action: object): Promise<string> => {
    const { status, body } = await act(url, action);
    const text = JSON.stringify(body);
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return /"flowId":"([^"]+)"/u.exec(text)?.[1] ?? '';
  };
  const client = async (): Promise<void> => {
    while (!isOver.value) {
      count += 1;
      const hasTask = count % TASK_EVERY === 0;
      try {
        const flowId = await perform({
          action: 'create_flow',
          goal: 'a goal',
          stateJson: { count },
        });
        if (hasTask) await perform({ action: 'run_task', flowId, runtime: 'subagent', task: 't' });
        await perform({ action: 'resume_flow', flowId, expectedRevision: 0, status: 'running' });
        if (!hasTask) await perform({ action: 'finish_flow', flowId, expectedRevision: 1 });
        finished.add(flowId);
      } catch (error) {
        complaints.push(`a webhook: ${String(error)}`);
      }
      await sleep(PAUSE_MS);
    }
  };
  return {
    flows: () => finished.size,
    lost: (home) => lostFlowsIn(home, finished),
    complaints: () => complaints,
    ended: Promise.all(Array.from({ length: CLIENTS }, client)),
  };
}

function lostFlowsIn(home: TempFolder, flows: ReadonlySet<string>): readonly string[] {
  const database = new Database(home.at('flows.sqlite'), { readonly: true });
  try {
    const ids = new Set(database.prepare<[], string>('SELECT id FROM flows').pluck().all());
    const lost = [...flows].filter((id) => !ids.has(id));
    return lost.length === 0 ? [] : [`${lost.length} flows that were acknowledged are lost`];
  } finally {
    database.close();
  }
}
