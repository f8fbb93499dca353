import { closeSync, cpSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { type LoadedConfig, resolveConfig } from '../../../src/engine/config/index.js';
import { dreamTargets } from '../../../src/engine/dreaming/index.js';
import {
  appendRecall,
  parseRecallLine,
} from '../../../src/engine/dreaming/recall-log/recall-log.js';
import { openFlows } from '../../../src/engine/flows/index.js';
import {
  emptyForgetList,
  forgetPlaces,
  readForgetList,
} from '../../../src/engine/memory/forgotten/index.js';
import { sharedForgetList } from '../../../src/engine/memory/home/shared-forget-list.js';
import { createIndex, type SqliteIndex } from '../../../src/engine/memory/index/index.js';
import { preparePostgresIndex } from '../../../src/engine/memory/index/postgres/index.js';
import type { ServerContext } from '../../../src/engine/postgres/index.js';
import { openServer } from '../../../src/engine/postgres/index.js';
import { copyStorage } from '../../../src/engine/storage/copy/copy-storage.js';
import { migrateStorage } from '../../../src/engine/storage/migrate-storage.js';
import { storageCopyOutputSchema } from '../../../src/engine/storage/output-schemas.js';
import type { EngineContext } from '../../../src/engine/support/context.js';
import { failureOf } from '../../support/failure.js';
import { ADA, pendingCount } from '../../support/flows.js';
import { serverAt, testServers } from '../../support/postgres.js';
import { rawDatabase } from '../../support/raw-database.js';
import { tempFolder } from '../../support/temp-folder.js';
import {
  apply,
  embedMissing,
  openReadyIndex,
  putChange,
  testIdentity,
  textVector,
} from '../../support/vector-index.js';
import { storageHost } from './support.js';

const copyDocument = z.omit(storageCopyOutputSchema, { warnings: true });
/** More than one page. */
const FLOWS = 210;
const IDENTITY = 'fake:one';

for (const postgres of await testServers()) {
  const test = suite(`copying to and from ${postgres.name}`);
  test.after(() => postgres.stop());

  let url = '';
  // Not outside: uvu starts when nothing is left to do at once, and then ran both suites at the same time.
  test.before(async () => {
    url = await postgres.newDatabase();
  });
  let last: ServerContext | undefined;
  /** The same for every test: a new one takes PGlite half a second of processor time. */
  const emptyDatabase = async () => {
    if (last !== undefined) await closeServers(last);
    const server = serverAt(url, { poolSize: 1 });
    await server.run('DROP SCHEMA IF EXISTS svc CASCADE');
    await server.close();
    return url;
  };

  const newHost = async () => {
    const { context, loaded } = storageHost(await emptyDatabase());
    last = context;
    const onApplied = () => undefined;
    await migrateStorage(context, loaded, { dryRun: false, onApplied });
    return { context, loaded, alone: withoutServer(loaded) };
  };

  const copy = async (
    { context, loaded }: { readonly context: EngineContext; readonly loaded: LoadedConfig },
    to: 'postgres' | 'sqlite',
    { dryRun = false, stopAfter = Number.POSITIVE_INFINITY } = {},
  ) => {
    const stop = new AbortController();
    let steps = 0;
    const copied = await copyStorage(context, loaded, {
      to,
      dryRun,
      signal: stop.signal,
      onProgress: () => {
        steps += 1;
        if (steps >= stopAfter) stop.abort(new Error('stopped'));
      },
    });
    return z.parse(copyDocument, copied);
  };

  test('flows are copied there and back unchanged, with their tasks, notifications and answers', async () => {
    const host = await newHost();
    await fill(host.context, host.alone);
    const before = await everything(host.context, host.alone);
    // What PostgreSQL cannot store is replaced, as everywhere in its store.
    const expected = JSON.parse(
      JSON.stringify(before).replaceAll('\\u0000', '\ufffd'),
    ) as typeof before;
    const would = await copy(host, 'postgres', { dryRun: true });
    assert.equal(rowsOf(would), {
      flows: FLOWS,
      tasks: 3,
      notifications: before.notifications,
      history: 5,
      answers: FLOWS,
      pauses: 1,
      schedules: 1,
    });
    assert.is(would.verified, false);
    assert.is((await everything(host.context, host.loaded)).total, 0);

    const copied = await copy(host, 'postgres');
    assert.ok(copied.verified);
    for (const { hashes, written, rows } of copied.parts) {
      assert.is(hashes?.source, hashes?.target);
      assert.is(written, rows);
    }
    assert.equal(await everything(host.context, host.loaded), expected);
    assert.equal(await everything(host.context, host.alone), before, 'the source is unchanged');
    const same = await copy(host, 'sqlite');
    assert.ok(same.verified, 'a NUL here is what PostgreSQL has in its place');
    assert.ok(same.parts.every(({ written }) => written === 0));
    const again = await copy(host, 'postgres');
    assert.ok(again.verified);
    assert.ok(again.parts.every(({ written }) => written === 0));

    // Changed on the server: an older copy of this host does not undo it, and goes back newer.
    const flows = await openFlows(host.context, host.loaded.resolved);
    const [first] = before.flows;
    await flows.operator.cancelFlow(first?.flowId ?? '');
    await flows.close();
    const late = await copy(host, 'postgres');
    assert.ok(late.verified);
    assert.is(late.parts.find(({ name }) => name === 'flows')?.newer, 1);
    const after = await everything(host.context, host.loaded);
    await closeServers(host.context);
    const back = await copy(host, 'sqlite');
    assert.ok(back.verified);
    assert.equal(await everything(host.context, host.alone), after);
  });

  test('a copy that was stopped anywhere continues', async () => {
    const host = await newHost();
    await fill(host.context, host.alone);
    for (const stopAfter of [1, 2, 3, 5]) {
      const stopped = await copy(host, 'postgres', { stopAfter }).catch((error: unknown) => error);
      assert.ok(stopped instanceof Error && stopped.message === 'stopped');
    }
    assert.ok((await copy(host, 'postgres')).verified);
    const { total, tasks } = await everything(host.context, host.loaded);
    assert.equal([total, tasks.length], [FLOWS, 3]);
  });

  for (const to of ['postgres', 'sqlite'] as const) {
    test(`what was deleted after a copy to ${to} stays deleted, and what is new is copied`, async () => {
      const host = await newHost();
      const [source, target] =
        to === 'postgres' ? [host.alone, host.loaded] : [host.loaded, host.alone];
      await fill(host.context, source);
      await closeServers(host.context);
      assert.ok((await copy(host, to)).verified);
      const before = await everything(host.context, source);
      const ended = before.tasks.filter(({ status }) => status === 'queued');
      const atTarget = await openFlows(host.context, target.resolved);
      for (const { parentFlowId } of ended) await atTarget.operator.cancelFlow(parentFlowId);
      await atTarget.tasks.resume(['acp']);
      await sleep(5);
      assert.equal(await atTarget.operator.prune(0), { flows: 2, tasks: 2 });
      await atTarget.close();
      // The source goes on with one that the target has deleted, and with a new one.
      const atSource = await openFlows(host.context, source.resolved);
      const work = { action: 'run_task', runtime: 'acp', task: 'more' } as const;
      await atSource.perform({ ...work, flowId: ended[0]?.parentFlowId ?? '' }, ADA);
      await atSource.perform({ action: 'create_flow', goal: 'a new one' }, ADA);
      await atSource.close();
      await closeServers(host.context);

      const again = await copy(host, to);
      assert.ok(again.verified);
      const deleted = Object.fromEntries(again.parts.map((part) => [part.name, part.deleted]));
      assert.equal([deleted['flows'], deleted['tasks'], deleted['pauses']], [2, 3, 1]);
      const after = await everything(host.context, target);
      assert.equal([after.total, after.tasks.length, after.pauses], [FLOWS - 1, 1, []]);
      assert.ok(after.flows.some(({ goal }) => goal === 'a new one'));
      await closeServers(host.context);
    });
  }

  test("a host that started from a copy of another's file copies only its own records", async () => {
    const url = await emptyDatabase();
    const one = storageHost(url);
    const two = storageHost(url);
    const input = { storage: { url, origin: 'there' } };
    const loaded = { ...two.loaded, input, resolved: resolveConfig(input) };
    const onApplied = () => undefined;
    await migrateStorage(one.context, one.loaded, { dryRun: false, onApplied });
    const create = async (context: EngineContext, goal: string) => {
      const flows = await openFlows(context, withoutServer(one.loaded).resolved);
      await flows.perform({ action: 'create_flow', goal }, ADA);
      await flows.close();
    };
    await create(one.context, 'of both');
    const [from, to] = [one.context, two.context].map(({ state }) => state.stateDir);
    cpSync(`${from}/flows.sqlite`, `${to}/flows.sqlite`);
    await create(two.context, 'of the second');
    await create(one.context, 'of the first');
    assert.ok((await copy(one, 'postgres')).verified);
    assert.ok((await copy({ ...two, loaded }, 'postgres')).verified);
    const { flows } = await everything(one.context, one.loaded);
    assert.equal(flows.map(({ goal }) => goal).sort(), [
      'of both',
      'of the first',
      'of the second',
    ]);
    await closeServers(one.context);
    await closeServers(two.context);
  });

  test('flows with megabytes each are copied, too', async () => {
    const host = await newHost();
    const flows = await openFlows(host.context, host.alone.resolved);
    const stateJson = { text: 'x'.repeat(900_000) };
    for (let at = 0; at < 12; at += 1) {
      await flows.perform({ action: 'create_flow', goal: `flow ${at}`, stateJson }, ADA);
    }
    await flows.close();
    const steps: string[] = [];
    await copyStorage(host.context, host.loaded, {
      to: 'postgres',
      dryRun: false,
      signal: new AbortController().signal,
      onProgress: ({ part, step, rows }) => steps.push(`${step} ${part} ${rows}`),
    });
    assert.equal(
      steps.filter((step) => step.startsWith('copying flows')),
      ['copying flows 5', 'copying flows 10', 'copying flows 12'],
    );
    await closeServers(host.context);
    rmSync(`${host.context.state.stateDir}/flows.sqlite`);
    assert.ok((await copy(host, 'sqlite')).verified);
    assert.is((await everything(host.context, host.alone)).total, 12);
  });

  test('a damaged file of flows is named', async () => {
    const host = await newHost();
    await fill(host.context, host.alone);
    damage(`${host.context.state.stateDir}/flows.sqlite`);
    assert.is((await failureOf(copy(host, 'postgres'))).code, 'FLOWS_DAMAGED');
  });

  test('nothing is copied while somebody has the flows of this host open', async () => {
    const host = await newHost();
    await fill(host.context, host.alone);
    const flows = await openFlows(host.context, host.alone.resolved);
    const refused = await failureOf(copy(host, 'postgres'));
    assert.is(refused.code, 'FLOWS_BUSY');
    assert.match(refused.hint ?? '', /svc serve/);
    assert.is(rowsOf(await copy(host, 'postgres', { dryRun: true }))['flows'], FLOWS);
    await flows.close();
    assert.ok((await copy(host, 'postgres')).verified);
    if (postgres.connections === 1) return;

    await closeServers(host.context);
    const other = serverAt(url);
    await other.query('SELECT 1');
    const { code, message } = await failureOf(copy(host, 'sqlite'));
    assert.is(code, 'STORAGE_BUSY');
    assert.match(message, / is in use by 1 other connection of svc$/u);
    assert.is(rowsOf(await copy(host, 'sqlite', { dryRun: true }))['flows'], FLOWS);
    await other.close();
    assert.ok((await copy(host, 'sqlite')).verified);
  });

  test('vectors are copied there and back byte for byte, and paid for once', async () => {
    const host = await newHost();
    const file = indexFile(host.context);
    mkdirSync(dirname(file));
    createIndex(file, testIdentity()).seal();
    const before = await withStore(file, async (index) => {
      await apply(index, putChange('a.md', 'one', 'two', 'three'));
      await embedMissing(index, IDENTITY, textVector);
      return vectorsIn(index);
    });
    const copied = await copy(host, 'postgres');
    assert.ok(copied.verified);
    assert.is(rowsOf(copied)['vectors of main'], 3);
    const again = await copy(host, 'postgres');
    assert.is(again.parts.find(({ name }) => name === 'vectors of main')?.written, 0);

    // Indexing on the server finds them all, and tidying keeps those of texts that are not indexed yet.
    const server = await openServer(host.context, host.loaded.resolved);
    const shared = await preparePostgresIndex(
      server,
      { agent: 'main', origin: 'here' },
      testIdentity(),
    );
    await apply(shared, putChange('a.md', 'one', 'two'));
    assert.is(await embedMissing(shared, IDENTITY, textVector), 0);
    await shared.tidyEmbeddings({
      keepIdentities: [IDENTITY],
      atMs: 1,
      cacheEntries: 0,
    });
    await apply(shared, putChange('b.md', 'three'));
    assert.is(await embedMissing(shared, IDENTITY, textVector), 0);

    await closeServers(host.context);
    rmSync(dirname(file), { recursive: true });
    const back = await copy(host, 'sqlite');
    assert.ok(back.verified);
    await withStore(file, async (index) => {
      assert.equal(await vectorsIn(index), before);
      await apply(index, putChange('a.md', 'one', 'two', 'three'));
      assert.is(await embedMissing(index, IDENTITY, textVector), 0);
    });
  });

  test('how to copy the vectors of an older svc is said, since storage.url is set already', async () => {
    const host = await newHost();
    const file = indexFile(host.context);
    mkdirSync(dirname(file));
    createIndex(file, testIdentity()).seal();
    const database = rawDatabase(file);
    database.exec('PRAGMA user_version = 1');
    database.close();
    const { code, message, hint } = await failureOf(copy(host, 'postgres'));
    assert.is(code, 'INDEX_CORRUPT');
    assert.match(message, / it was written by an older svc /u);
    assert.match(
      hint ?? '',
      /^run "svc config unset storage\.url" and "svc memory index", then set storage\.url and copy again$/u,
    );
  });

  test('what another host forgot stays forgotten on a host that moves back', async () => {
    const host = await newHost();
    const server = await openServer(host.context, host.loaded.resolved);
    const file = `${tempFolder().path}/main.json`;
    const list = sharedForgetList(server, { agent: 'main', origin: 'there' }, file);
    const entry = { id: 'f1', at: new Date(0).toISOString(), lines: [['a hash']] };
    const entries = [{ ...entry, passages: [], documents: [], files: [] }];
    await list.write({ ...emptyForgetList(), next: 2, entries });
    const { listFile } = forgetPlaces(host.context.state, 'main');
    await copy(host, 'sqlite', { dryRun: true });
    assert.is(await readForgetList(listFile), undefined);
    await copy(host, 'sqlite');
    assert.equal((await readForgetList(listFile))?.entries[0]?.lines, entry.lines);
  });

  test('recalls are copied to the server once, with the name of their host', async () => {
    const host = await newHost();
    const [target] = dreamTargets(host.loaded, host.context);
    const file = target?.workspace.files.recallLog ?? '';
    const claim = {
      text: 'a',
      source: 'memory',
      path: 'a.md',
      startLine: 1,
      endLine: 1,
      score: 1,
    } as const;
    for (const atMs of [1, 2, 3]) appendRecall(file, { atMs, queryHash: 'q', claims: [claim] });
    for (const written of [3, 0]) {
      const copied = await copy(host, 'postgres');
      assert.ok(copied.verified);
      assert.is(copied.parts.find(({ name }) => name === 'recalls of main')?.written, written);
    }
    appendRecall(file, { atMs: 4, queryHash: 'q', claims: [claim] });
    await copy(host, 'postgres');
    const server = await openServer(host.context, host.loaded.resolved);
    const rows = await server.query<{ number: number; line: string }>(
      'SELECT number, line FROM svc.recalls ORDER BY number',
    );
    assert.equal(
      rows.map(({ number, line }) => [number, parseRecallLine(line)?.atMs]),
      [1, 2, 3, 4].map((at) => [at, at]),
    );
    assert.ok(rows.every(({ line }) => line.includes('"origin":"here"')));
  });

  test.run();
}

/** Overwrites all pages but those that are read to open it. */
function damage(file: string): void {
  const { size } = statSync(file);
  const descriptor = openSync(file, 'r+');
  for (let at = 40 * 4096; at < size; at += 4096) {
    writeSync(descriptor, Buffer.alloc(4096, 0x5a), 0, 4096, at);
  }
  closeSync(descriptor);
}

function withoutServer({ resolved, ...loaded }: LoadedConfig): LoadedConfig {
  return { ...loaded, resolved: { ...resolved, storage: resolveConfig({}).storage } };
}

function indexFile({ state }: EngineContext): string {
  return `${state.cacheDir}/memory/main.sqlite`;
}

async function withStore<T>(file: string, use: (index: SqliteIndex) => Promise<T>): Promise<T> {
  const index = openReadyIndex(file);
  try {
    return await use(index);
  } finally {
    index.close();
  }
}

async function vectorsIn(index: SqliteIndex): Promise<readonly string[]> {
  const rows = await (await index.packedStore()).page({ after: 0, limit: 99 });
  return rows
    .map(({ hash, vector }) => `${hash.toString('hex')} ${vector.toString('hex')}`)
    .toSorted();
}

async function closeServers({ servers }: ServerContext): Promise<void> {
  for (const server of servers?.values() ?? []) await server.close();
  servers?.clear();
}

/** Flows with repeatable answers, a text that PostgreSQL cannot store as it is, and tasks in several states. */
async function fill(context: EngineContext, { resolved }: LoadedConfig): Promise<void> {
  const flows = await openFlows(context, { ...resolved, flows: NOTIFIED });
  await Promise.all(
    Array.from({ length: FLOWS }, (_, at) =>
      flows.perform({ action: 'create_flow', goal: `flow ${at}` }, ADA, {
        key: `key ${at}`,
        bodyHash: 'hash',
      }),
    ),
  );
  const { entries } = await flows.operator.listFlows({ limit: 3 });
  for (const { flow } of entries) {
    await flows.perform(
      { action: 'run_task', flowId: flow.flowId, runtime: 'subagent', task: 'work' },
      ADA,
    );
  }
  const claimed = await flows.tasks.claim({ worker: 'worker' });
  assert.ok(claimed !== undefined);
  const lease = { taskId: claimed.task.taskId, token: claimed.leaseToken };
  await flows.tasks.heartbeat(lease, { progress: 'a\0b' });
  await flows.tasks.pause(['acp'], 'a new release');
  await flows.schedules.runNow({
    id: 'nightly',
    rhythm: '0 3 * * *',
    lastDue: () => undefined,
    overlap: 'allow',
    caller: ADA,
    make: () => ({ type: 'invalid', error: 'none' }),
  });
  await flows.close();
}

const NOTIFIED = resolveConfig({ flows: { notify: { command: ['true'] } } }).flows;

/** Everything that operators see of the flows of a host. */
async function everything(context: EngineContext, { resolved }: LoadedConfig) {
  const flows = await openFlows(context, resolved);
  const limit = 40;
  const { entries, total } = await flows.operator.listFlows({ limit });
  const tasks = await flows.operator.listTasks({ limit });
  const notifications = await pendingCount(flows);
  const pauses = await flows.tasks.paused();
  const histories: unknown[] = [];
  for (const { flow } of entries) {
    const { entries: events } = await flows.operator.history(flow.flowId);
    histories.push(events.map(({ flowSeq: _, ...event }) => event));
  }
  const schedules = await flows.schedules.records();
  await flows.close();
  return {
    total,
    flows: entries.map(({ flow: { seq: _, ...flow } }) => flow),
    tasks: tasks.entries.map(({ seq: _, flowSeq: __, ...task }) => task),
    notifications,
    pauses,
    histories,
    schedules,
  };
}

function rowsOf({ parts }: z.infer<typeof copyDocument>): Readonly<Record<string, number>> {
  return Object.fromEntries(parts.map(({ name, rows }) => [name, rows]));
}
