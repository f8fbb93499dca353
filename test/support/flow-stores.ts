import { type ConfigInput, resolveConfig } from '../../src/engine/config/index.js';
import { type Flows, openFlows } from '../../src/engine/flows/index.js';
import type { Server, ServerContext } from '../../src/engine/postgres/index.js';
import type { EngineContext } from '../../src/engine/support/context.js';
import { contextOf } from './context.js';
import { testFlows } from './flows.js';
import { migratedDatabase, serverAt, type TestPostgres } from './postgres.js';

/** Flows in any store, as a test works with them. */
export interface StoredFlows {
  readonly flows: Flows;
  /** Lets time pass in the store. */
  passTime(ms: number): Promise<void>;
  /** Opens the same flows as another process would. @param settings those of the first by default */
  other(settings?: ConfigInput['flows']): Promise<Flows>;
  /** Closes the flows and opens them again, as a process that follows another would. */
  reopen(flows: Flows): Promise<Flows>;
  close(): Promise<void>;
}

/** A store that the suites run with. */
export interface TestFlowStore {
  readonly name: string;
  open(settings?: ConfigInput['flows']): Promise<StoredFlows>;
  /** Ends the server behind it. */
  stop(): Promise<void>;
}

/** Flows in SQLite. */
export const SQLITE: TestFlowStore = {
  name: 'SQLite',
  stop: async () => undefined,
  open: async (settings) => {
    const opened = await testFlows(settings);
    const others: Awaited<ReturnType<typeof testFlows>>[] = [];
    const other = async (otherSettings = settings): Promise<Flows> => {
      const another = await testFlows(otherSettings, opened.home);
      another.clock.nowMs = opened.clock.nowMs;
      others.push(another);
      return another.flows;
    };
    return {
      flows: opened.flows,
      passTime: async (ms) => {
        for (const { clock } of [opened, ...others]) clock.nowMs += ms;
      },
      other,
      reopen: async (flows) => {
        await flows.close();
        return other();
      },
      close: async () => {
        for (const { flows } of [opened, ...others]) await flows.close();
      },
    };
  },
};

/**
 * Flows on a server, in one database that each `open` empties. Time passes by making all stored times
 * earlier.
 *
 * @param serversOf the servers that a process uses
 */
export function flowsOn(
  postgres: TestPostgres,
  serversOf: (url: string) => Map<string, Server> = () => new Map(),
): TestFlowStore {
  let database: Promise<string> | undefined;
  return {
    name: postgres.name,
    stop: () => postgres.stop(),
    open: async (settings) => {
      database ??= migratedDatabase(postgres);
      const url = await database;
      const sql = async (text: string): Promise<void> => {
        const server = serverAt(url, { poolSize: 1 });
        await server.run(text);
        await server.close();
      };
      await sql(
        `TRUNCATE ${Object.keys(TIMES)
          .map((table) => `svc.${table}`)
          .join(', ')}`,
      );
      const opened = new Map<Flows, () => Promise<void>>();
      const open = async (openSettings = settings): Promise<Flows> => {
        const servers = serversOf(url);
        const flows = await openFlowsAt(url, openSettings, {
          servers,
          poolSize: Math.min(4, postgres.connections),
        });
        opened.set(flows, async () => {
          await flows.close();
          for (const server of servers.values()) await server.close();
        });
        return flows;
      };
      return {
        flows: await open(),
        passTime: (ms) => sql(agingStatement(ms)),
        other: open,
        reopen: async (flows) => {
          await opened.get(flows)?.();
          opened.delete(flows);
          return open();
        },
        close: async () => {
          for (const close of opened.values()) await close();
        },
      };
    },
  };
}

/** Opens flows on a migrated server as a process of its own would. */
export function openFlowsAt(
  url: string,
  settings: ConfigInput['flows'] = {},
  {
    poolSize = 4,
    ...more
  }: Partial<Pick<EngineContext & ServerContext, 'clock' | 'servers'>> & {
    readonly poolSize?: number;
  } = {},
): Promise<Flows> {
  const flows = { notify: { command: ['true'] }, ...settings };
  const config = resolveConfig({ flows, storage: { url, poolSize } });
  return openFlows({ ...contextOf('/nowhere'), ...more }, config);
}

const TIMES = {
  flows: ['cancel_requested_at', 'created_at', 'updated_at', 'ended_at'],
  tasks: [
    'created_at',
    'started_at',
    'ended_at',
    'last_event_at',
    'cleanup_after',
    'next_run_at',
    'cancel_requested_at',
    'lease_expires_at',
  ],
  notifications: ['created_at', 'next_attempt_at', 'settled_at'],
  answers: ['expires_at'],
  pauses: ['paused_at'],
  history: ['at'],
  schedules: ['handled_until', 'ran_at', 'scheduled_at'],
} as const;

function agingStatement(ms: number): string {
  return Object.entries(TIMES)
    .map(([table, columns]) => {
      const assignments = columns.map((column) => `${column} = ${column} - ${ms}`);
      return `UPDATE svc.${table} SET ${assignments.join(', ')}`;
    })
    .join(';');
}
