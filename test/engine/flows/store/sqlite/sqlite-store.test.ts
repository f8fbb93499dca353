import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GroupCommit } from '../../../../../src/engine/flows/store/sqlite/group-commit.js';
import { FLOWS_FORMAT } from '../../../../../src/engine/flows/store/sqlite/migrations.js';
import { asFlowsError } from '../../../../../src/engine/flows/store/sqlite/open-database.js';
import { failureOf } from '../../../../support/failure.js';
import {
  ADA,
  newFlow,
  newTask,
  pendingCount,
  testFlows,
  viewOf,
} from '../../../../support/flows.js';
import { rawDatabase } from '../../../../support/raw-database.js';
import { tempFolder } from '../../../../support/temp-folder.js';
import { waitFor } from '../../../../support/wait.js';

const { applicationId, steps } = FLOWS_FORMAT;

const test = suite('the database of flows');

test('a process without file handles left is told so', () => {
  const error = asFlowsError(Object.assign(new Error('EMFILE'), { code: 'EMFILE' }), '/f.sqlite');
  assert.is(Object(error).code, 'HANDLES_EXHAUSTED');
});

test('belongs to its owner alone, with all of its files', async () => {
  const { flows, home } = await testFlows();
  await newFlow(flows);
  for (const suffix of ['', '-wal', '-shm']) {
    assert.is(statSync(`${home}/flows.sqlite${suffix}`).mode & 0o777, 0o600, suffix);
  }
  await flows.close();
});

test('a change in a file that was deleted or replaced meanwhile is an error, not lost', async () => {
  const missing = /flows\.sqlite was deleted or replaced while it was open/;
  for (const replace of [() => undefined, (file: string) => writeFileSync(file, '')]) {
    const { flows, home } = await testFlows();
    await newFlow(flows);
    const file = `${home}/flows.sqlite`;
    renameSync(file, `${file}.old`);
    replace(file);
    const { code, message } = await failureOf(newFlow(flows));
    assert.is(code, 'FLOWS_PERSIST_FAILED');
    assert.match(message, missing);
    assert.is(flows.writes.failure()?.code, 'FLOWS_PERSIST_FAILED');
    await flows.close();
  }
});

test('the log shrinks again after somebody read for a long time', async () => {
  const { flows, home } = await testFlows();
  await newFlow(flows);
  const reader = rawDatabase(`${home}/flows.sqlite`);
  const logBytes = (): number => statSync(`${home}/flows.sqlite-wal`).size;
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM flows').get();
  const stateJson = 'x'.repeat(200_000);
  const isLarge = (): boolean => logBytes() > 24 * 1024 * 1024;
  while (!isLarge()) await newFlow(flows, undefined, { stateJson });
  reader.close();
  // The first moves the log into the file, the next starts it again.
  await newFlow(flows);
  await newFlow(flows);
  assert.ok(logBytes() <= 16 * 1024 * 1024, `${logBytes()} bytes`);
  await flows.close();
});

test('where no folder can be created is an error that names it', async () => {
  if (process.platform !== 'linux') return;
  const { code, message, hint } = await failureOf(testFlows({}, '/proc/svc'));
  assert.is(code, 'FLOWS_PERSIST_FAILED');
  assert.match(message, '/proc/svc/flows.sqlite');
  assert.is(hint, 'check the disk, and the permissions of the file and its folder');
});

test('of an older version is migrated with all its content', async () => {
  for (let version = 0; version < steps.length; version++) {
    const folder = tempFolder();
    const database = rawDatabase(folder.at('flows.sqlite'));
    for (const step of steps.slice(0, version)) database.exec(step);
    if (version > 0) {
      database.pragma(`application_id = ${applicationId}`);
      database.pragma(`user_version = ${version}`);
      database.exec(`INSERT INTO flows (id, owner_key, sync_mode, revision, status, notify_policy,
        goal, created_at, updated_at) VALUES ('11111111-1111-4111-8111-111111111111',
        '${ADA.sessionKey}', 'managed', 3, 'running', 'done_only', 'old', 1, 2)`);
    }
    const hasNotification = version === 3;
    if (hasNotification) {
      database.exec(`INSERT INTO notifications (id, kind, owner_key, flow_id, payload, created_at,
        attempts, next_attempt_at, outcome) VALUES ('flow-event:1', 'flow.changed', 'owner',
        '11111111-1111-4111-8111-111111111111', '{}', 1, 2, 5, 'pending')`);
    }
    database.close();
    const { flows } = await testFlows({}, folder.path);
    const id = version > 0 ? '11111111-1111-4111-8111-111111111111' : await newFlow(flows);
    await newTask(flows, id);
    const ended = await flows.perform(
      { action: 'finish_flow', flowId: id, expectedRevision: version > 0 ? 3 : 0 },
      ADA,
    );
    assert.is(viewOf(ended)['status'], 'succeeded', `from version ${version}`);
    const { entries, startsAt } = await flows.operator.history(id);
    const history = entries.map(({ event, actorKind, at }) => `${event} ${actorKind} ${at}`);
    const isOld = version > 0 && version < 5;
    const known = isOld ? ['flow.created unknown 1', 'flow.changed unknown 2'] : [];
    assert.equal(history.slice(0, known.length), known, `from version ${version}`);
    assert.is(startsAt, entries[known.length]?.at);
    assert.is(await pendingCount(flows), hasNotification ? 2 : 1);
    const [oldest] = await flows.outbox.takeDue({ target: 'default', limit: 1, holdMs: 1 });
    if (hasNotification) {
      assert.equal([oldest?.notificationId, oldest?.attempts], ['flow-event:1', 3]);
    }
    await flows.close();
  }
});

test('of a newer version, or of another program, is refused and left unchanged', async () => {
  const folder = tempFolder();
  const file = folder.at('flows.sqlite');
  const made = rawDatabase(file);
  made.pragma(`application_id = ${applicationId}`);
  made.pragma(`user_version = ${steps.length + 1}`);
  made.close();
  const newer = readFileSync(file);
  assert.is((await failureOf(testFlows({}, folder.path))).code, 'FLOWS_NEWER');
  assert.equal(readFileSync(file), newer);
  const other = tempFolder();
  const foreign = rawDatabase(other.at('flows.sqlite'));
  foreign.exec('CREATE TABLE mine (x)');
  foreign.close();
  const before = readFileSync(other.at('flows.sqlite'));
  assert.is((await failureOf(testFlows({}, other.path))).code, 'FLOWS_FOREIGN');
  assert.equal(readFileSync(other.at('flows.sqlite')), before);
  writeFileSync(file, 'not a database at all, but a text that is long enough to be read as one');
  assert.is((await failureOf(testFlows({}, folder.path))).code, 'FLOWS_DAMAGED');
});

test('stays reported as damaged once a change met the damage, even if others can be stored', async () => {
  const opened = await testFlows();
  const file = `${opened.home}/flows.sqlite`;
  await newFlow(opened.flows);
  await opened.flows.close();
  const database = rawDatabase(file);
  const page = Number(database.pragma('page_size', { simple: true }));
  const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'flows'").pluck();
  const start = (Number(root.get()) - 1) * page;
  database.close();
  writeFileSync(file, readFileSync(file).fill(0xff, start, start + page));
  const flows = await opened.reopen();
  assert.is((await failureOf(newFlow(flows))).code, 'FLOWS_DAMAGED');
  await flows.writes.probe();
  assert.is(flows.writes.failure()?.code, 'FLOWS_DAMAGED');
  await flows.close();
});

test('commits concurrent changes together, and rolls back only the failed one', async () => {
  const database = rawDatabase(tempFolder().at('x.sqlite'));
  database.exec('CREATE TABLE t (n INTEGER PRIMARY KEY)');
  const insert = database.prepare('INSERT INTO t VALUES (?)');
  let commits = 0;
  const group = new GroupCommit<{ readonly id: number }>({
    database,
    newTransaction: () => ({ id: commits }),
    sync: async () => undefined,
    onCommitted: () => {
      commits += 1;
    },
  });
  const add = (n: number): Promise<void> => group.run(async () => void insert.run(n));
  await Promise.all([1, 2, 3].map(add));
  assert.is(commits, 1);
  const outcomes = await Promise.allSettled([4, 1, 5, 5, 6].map(add));
  assert.equal(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.equal(database.prepare('SELECT n FROM t').pluck().all(), [1, 2, 3, 4, 5, 6]);
  const waiting = add(7);
  await group.waitUntilIdle();
  await waiting;
  database.close();
});

test('reports a change only once it is on disk, without delaying the next commit', async () => {
  const database = rawDatabase(tempFolder().at('x.sqlite'));
  database.exec('CREATE TABLE t (n INTEGER PRIMARY KEY)');
  const insert = database.prepare('INSERT INTO t VALUES (?)');
  const syncs: { readonly end: () => void; readonly fail: (error: Error) => void }[] = [];
  const acknowledged: number[] = [];
  const group = new GroupCommit<object>({
    database,
    newTransaction: () => ({}),
    sync: () => new Promise((end, fail) => syncs.push({ end: () => end(), fail })),
    onCommitted: () => undefined,
  });
  const add = async (n: number): Promise<void> => {
    await group.run(async () => void insert.run(n));
    acknowledged.push(n);
  };
  const stored = () => database.prepare('SELECT n FROM t').pluck().all();
  const first = add(1);
  await waitFor('its sync', () => syncs.length === 1);
  const second = add(2);
  const third = add(3);
  await waitFor('the others', () => stored().length === 3);
  assert.equal(acknowledged, []);
  assert.is(syncs.length, 1);
  syncs[0]?.end();
  await first;
  assert.equal(acknowledged, [1]);
  // Both others wait for one sync, and hear of it when it fails.
  await waitFor('the next sync', () => syncs.length === 2);
  syncs[1]?.fail(new Error('the disk is gone'));
  const outcomes = await Promise.allSettled([second, third]);
  assert.equal(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  await group.waitUntilIdle();
  database.close();
});

test('waits for another process no longer if the event loop is slow', async () => {
  const home = tempFolder();
  const other = rawDatabase(home.at('x.sqlite'));
  const database = rawDatabase(home.at('x.sqlite'));
  database.pragma('busy_timeout = 200');
  let tries = 0;
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    const run = (): unknown => {
      tries += 1;
      return statement.run();
    };
    return sql === 'BEGIN IMMEDIATE' ? { run } : statement;
  };
  const group = new GroupCommit<object>({
    database: new Proxy(database, {
      get: (target, key) => (key === 'prepare' ? prepare : Reflect.get(target, key)),
    }),
    newTransaction: () => ({}),
    sync: async () => undefined,
    onCommitted: () => undefined,
  });
  other.exec('BEGIN IMMEDIATE');
  const { code } = await failureOf(group.run(async () => undefined));
  other.close();
  assert.is(code, 'FLOWS_BUSY');
  // Each took 200 ms or more of five seconds.
  assert.ok(tries < 30, `${tries} tries`);
  database.close();
});

test('waits for another process that writes, up to its limit', async () => {
  const { flows, home } = await testFlows();
  const other = rawDatabase(`${home}/flows.sqlite`);
  other.exec('BEGIN IMMEDIATE');
  const waiting = newFlow(flows);
  setTimeout(() => other.exec('COMMIT'), 100);
  assert.ok(await waiting);
  other.exec('BEGIN IMMEDIATE');
  assert.is((await failureOf(newFlow(flows))).code, 'FLOWS_BUSY');
  assert.is(flows.writes.failure()?.code, 'FLOWS_BUSY');
  other.exec('COMMIT');
  assert.ok(await newFlow(flows));
  assert.is(flows.writes.failure(), undefined);
  other.close();
  await flows.close();
});

test.run();
