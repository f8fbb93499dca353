import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadedConfig, type ResolvedAgent, resolveAgents } from '../../config/index.js';
import { type DreamTarget, dreamTargets } from '../../dreaming/index.js';
import { parseRecallLine } from '../../dreaming/recall-log/recall-log.js';
import { SharedRecalls } from '../../dreaming/recall-log/shared-recalls.js';
import { SvcError } from '../../errors/index.js';
import { flowsFile } from '../../flows/index.js';
import { asFlowsError } from '../../flows/store/sqlite/open-database.js';
import { forgetPlaces } from '../../memory/forgotten/index.js';
import { sharedPlace } from '../../memory/home/index.js';
import { sharedForgetList } from '../../memory/home/shared-forget-list.js';
import { packedStore } from '../../memory/index/postgres/index.js';
import { describeAddress, openCurrentServer, type Server } from '../../postgres/index.js';
import type { EngineContext } from '../../support/context.js';
import { ifThere, readRegularFile } from '../../support/files.js';
import { formatCountOf } from '../../support/format.js';
import { uniqueBy } from '../../support/lists.js';
import type { StorageCopyOutput } from '../output-schemas.js';
import { type CopiedPart, type CopyPart, copyPart } from './copy-part.js';
import { postgresRecords } from './postgres-records.js';
import {
  COPIED_TABLES,
  type CopiedTable,
  copiedColumns,
  hasFlow,
  isBelowMark,
  isNewerRow,
  type RecordRow,
  type RecordStore,
} from './record-tables.js';
import { openCopiedFlows, sqliteRecords } from './sqlite-records.js';
import { vectorPart, withIndexVectors, withWrittenVectors } from './vector-part.js';

/** How a copy is made. */
export interface CopyStorageOptions {
  readonly to: StorageCopyOutput['to'];
  /** Counts only. */
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CopyProgress) => void;
}

/** How many rows of a part have been copied or checked. */
export interface CopyProgress {
  readonly part: string;
  readonly step: 'checking' | 'copying';
  readonly rows: number;
  readonly of: number;
}

/**
 * Copies flows and vectors between the files of this host and the server, and recalls to the server, then compares both
 * stores. Documents are not copied: the next sync makes them again, and finds their vectors. The source stays as it is.
 *
 * @throws SvcError FLOWS_BUSY, STORAGE_BUSY if somebody uses the source of a copy; STORAGE_*, FLOWS_*, INDEX_*
 */
export async function copyStorage(
  context: EngineContext,
  loaded: LoadedConfig,
  options: CopyStorageOptions,
): Promise<StorageCopyOutput> {
  const server = await openCurrentServer(context, loaded.resolved);
  if (options.to === 'sqlite' && !options.dryRun) await requireUnused(server);
  const run = { context, server, options };
  const allAgents = resolveAgents(loaded, context);
  const agents = uniqueBy(allAgents, ({ memorySearch }) => memorySearch.store.path);
  if (options.to === 'sqlite' && !options.dryRun) await keepForgetLists(run, loaded, allAgents);
  const parts = [
    ...(await copyFlows(run, sharedPlace('', loaded, context)?.origin ?? '')),
    ...(await copyVectors(run, agents)),
    ...(options.to === 'postgres' ? await copyRecalls(run, loaded) : []),
  ];
  return {
    to: options.to,
    address: describeAddress(server.address),
    dryRun: options.dryRun,
    verified: !options.dryRun && parts.every(({ different }) => different === 0),
    parts,
  };
}

/** Reads the shared forget lists: what other hosts have forgotten must not come back from the files of this one. */
async function keepForgetLists(
  { context, server }: CopyRun,
  loaded: LoadedConfig,
  agents: readonly Pick<ResolvedAgent, 'id'>[],
): Promise<void> {
  for (const { id } of agents) {
    const place = sharedPlace(id, loaded, context);
    const { listFile } = forgetPlaces(context.state, id);
    if (place !== undefined) await sharedForgetList(server, place, listFile).read();
  }
}

/** What all parts of a copy need. */
interface CopyRun {
  readonly context: EngineContext;
  readonly server: Server;
  readonly options: CopyStorageOptions;
}

/** PostgreSQL counts a connection for a moment after it was closed. */
const DISCONNECTS_WITHIN_MS = 2000;

/** A shared store that others use changes while it is copied. */
async function requireUnused(server: Server): Promise<void> {
  const count = async (): Promise<number> => {
    const [row] = await server.query<{ readonly others: number }>(`
      SELECT count(*) AS others FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'svc' AND pid <> pg_backend_pid()`);
    return row?.others ?? 0;
  };
  const startedMs = performance.now();
  let others = await count();
  while (others > 0 && performance.now() - startedMs < DISCONNECTS_WITHIN_MS) {
    await sleep(100);
    others = await count();
  }
  if (others === 0) return;
  throw new SvcError(
    'STORAGE_BUSY',
    `PostgreSQL at ${describeAddress(server.address)} is in use by ${formatCountOf(others, 'other connection')} of svc`,
    { hint: '"svc storage status" shows from where; stop svc on these hosts, then run it again' },
  );
}

/** @param origin the name of this host: another host may continue with a copy of its file */
async function copyFlows(run: CopyRun, origin: string): Promise<readonly CopiedPart[]> {
  const { context, server, options } = run;
  const toPostgres = options.to === 'postgres';
  const file = flowsFile(context);
  const database = openCopiedFlows(file, { creates: !toPostgres, dryRun: options.dryRun });
  try {
    const parts: CopiedPart[] = [];
    const deletedFlows = new Set<unknown>();
    for (const table of COPIED_TABLES) {
      const there = postgresRecords(server, table);
      const here =
        database === undefined ? undefined : withStorableRows(sqliteRecords(database, table));
      const [source, target] = toPostgres ? [here, there] : [there, here];
      if (source === undefined) continue;
      const from = [await source.id(), ...(toPostgres ? [origin] : [])].join(' ');
      // Only a dry run has no target.
      const stores = { source, target: target ?? source, from };
      parts.push(await copyTable(table, stores, deletedFlows, options));
    }
    return parts;
  } catch (error) {
    throw asFlowsError(error, file);
  } finally {
    database?.close();
  }
}

interface CopiedStores {
  readonly source: RecordStore;
  readonly target: RecordStore;
  /** Identifies the source in the target. */
  readonly from: string;
}

/** Copies a table. @param deletedFlows ids of flows that stay deleted in the target; those of this table are added */
async function copyTable(
  table: CopiedTable,
  { source, target, from }: CopiedStores,
  deletedFlows: Set<unknown>,
  options: CopyStorageOptions,
): Promise<CopiedPart> {
  const columns = copiedColumns(table);
  const mark = await source.highWaterMark();
  const copied = await target.copiedFrom(from);
  const isOfFlow = hasFlow(table);
  const part: CopyPart<RecordRow> = {
    name: table.name,
    source,
    target,
    keyOf: (row) => JSON.stringify(table.key.map((column) => row[column])),
    contentOf: (row) => JSON.stringify(columns.map((column) => row[column])),
    isNewer: (a, b) => isNewerRow(table, a, b),
    wasCopied: (row) =>
      (copied !== undefined && isBelowMark(table, row, copied)) ||
      (isOfFlow && deletedFlows.has(row['flow_id'])),
    onDeleted: (row) => table.name === 'flows' && deletedFlows.add(row['id']),
  };
  const result = await runPart(part, options);
  if (mark !== undefined && !options.dryRun && result.different === 0) {
    await target.noteCopied(from, mark);
  }
  return result;
}

/** The rows of SQLite in the form in which PostgreSQL can store them, so that both are compared in the same form. */
function withStorableRows(records: RecordStore): RecordStore {
  return {
    ...records,
    page: async (after) => (await records.page(after)).map(storable),
    find: async (rows) => (await records.find(rows)).map(storable),
  };
}

/** PostgreSQL's text cannot contain NUL; the store of flows replaces it too. */
function storable(row: RecordRow): RecordRow {
  const entries = Object.entries(row).map(([name, value]) => {
    return [name, typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value] as const;
  });
  return Object.fromEntries(entries);
}

async function copyVectors(
  run: CopyRun,
  agents: readonly ResolvedAgent[],
): Promise<readonly CopiedPart[]> {
  const { context, server, options } = run;
  const parts: CopiedPart[] = [];
  for (const agent of agents) {
    const name = `vectors of ${agent.id}`;
    const there = packedStore(server, agent.id);
    const lock = { nowMs: context.clock.now(), signal: options.signal };
    if (options.to === 'postgres') {
      const copied = await withIndexVectors(agent.memorySearch.store.path, (here) =>
        runPart(vectorPart(name, here, there), options),
      );
      if (copied !== undefined) parts.push(copied);
    } else if (options.dryRun || (await there.count()) === 0) {
      parts.push(await runPart(vectorPart(name, there, there), { ...options, dryRun: true }));
    } else {
      parts.push(
        await withWrittenVectors(agent, lock, (here) =>
          runPart(vectorPart(name, there, here), options),
        ),
      );
    }
  }
  return parts;
}

async function copyRecalls(
  { context, options }: CopyRun,
  loaded: LoadedConfig,
): Promise<readonly CopiedPart[]> {
  const parts: CopiedPart[] = [];
  for (const target of dreamTargets(loaded, context)) {
    const place = sharedPlace(target.agents[0] ?? '', loaded, context);
    if (place === undefined) continue;
    const part = recallPart(target, await SharedRecalls.open(place, context));
    if (part !== undefined) parts.push(await runPart(part, options));
  }
  return parts;
}

async function runPart<Row>(
  part: CopyPart<Row>,
  { dryRun, signal, onProgress }: CopyStorageOptions,
): Promise<CopiedPart> {
  const { name } = part;
  const of = await part.source.count();
  if (dryRun) {
    return { name, rows: of, written: 0, newer: 0, deleted: 0, different: 0, hashes: null };
  }
  return copyPart(part, {
    signal,
    onProgress: (step, rows) => onProgress({ part: name, step, rows, of }),
  });
}

/** A search in a recall log, by its place there. */
interface RecallRow {
  readonly at: number;
  readonly line: string;
}

const PAGE_ROWS = 500;

/**
 * The searches of this host that a sweep of another host has to learn of; undefined if there are none. A workspace that
 * was swept here is swept here again, which reads its own log.
 */
function recallPart(
  { workspace: { files }, agents }: DreamTarget,
  recalls: SharedRecalls,
): CopyPart<RecallRow> | undefined {
  if (existsSync(files.database)) return undefined;
  const lines = [`${files.recallLog}.old`, files.recallLog].flatMap((file) => {
    const text = ifThere(() => readRegularFile(file).toString('utf8')) ?? '';
    return text.split('\n').flatMap((line) => {
      const recall = parseRecallLine(line);
      return recall === undefined ? [] : [recalls.lineOf(recall)];
    });
  });
  const rows = uniqueBy(lines, (line) => line).map((line, at) => ({ at, line }));
  if (rows.length === 0) return undefined;
  return {
    name: `recalls of ${agents.join(', ')}`,
    source: {
      count: async () => rows.length,
      page: async (after) => {
        const from = (after?.at ?? -1) + 1;
        return rows.slice(from, from + PAGE_ROWS);
      },
    },
    target: {
      write: (page) => recalls.copy(page.map(({ line }) => line)),
      find: async (page) => {
        const there = new Set(await recalls.find(page.map(({ line }) => line)));
        return page.filter(({ line }) => there.has(line));
      },
    },
    keyOf: ({ line }) => line,
    contentOf: ({ line }) => line,
    isNewer: () => false,
    wasCopied: () => false,
  };
}
