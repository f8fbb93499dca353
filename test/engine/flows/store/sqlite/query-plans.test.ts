import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openFlowsDatabase } from '../../../../../src/engine/flows/store/sqlite/open-database.js';
import {
  sqliteSql,
  sqliteTables,
} from '../../../../../src/engine/flows/store/sqlite/sqlite-sql.js';
import { tempFolder } from '../../../../support/temp-folder.js';

const test = suite('statements of the database of flows');

/** The big tables. */
const WHOLE_TABLE = /^SCAN (?:flows|tasks|notifications)$/u;

test('use an index if they run often', async () => {
  const database = openFlowsDatabase(tempFolder().at('flows.sqlite'));
  const prepare = database.prepare.bind(database);
  const texts: string[] = [];
  database.prepare = (text: string) => {
    texts.push(text);
    return prepare(text);
  };
  const { flows, notifications, tasks } = sqliteTables(sqliteSql(database));
  await flows.byId('id');
  await flows.bySeq(1);
  await flows.list({ ownerKey: 'owner', limit: 1 });
  await flows.list({ ownerKey: 'owner', beforeSeq: 1, limit: 1 });
  await flows.cancelledWithoutTasks(0, 0, 1);
  await tasks.byId('id');
  await tasks.ownerOf('id');
  await tasks.ofRun(1, 'run', 'acp');
  await tasks.ofFlow(1);
  await tasks.list({ ownerKey: 'owner', beforeSeq: 1, limit: 1 });
  await tasks.list({ ownerKey: 'owner', flowSeq: 1, beforeSeq: 1, limit: 1 });
  await tasks.activeOf(1);
  await tasks.countsOf(1);
  await tasks.nextQueued(0, {});
  await tasks.expired({ nowMs: 0, jump: undefined }, 1);
  await tasks.leasedAfter(0, 1);
  await tasks.nextDueAt();
  await tasks.stampCleanup(1, 1);
  await notifications.ofEvent('id');
  await notifications.due(0, { target: 'target', limit: 1 });
  await notifications.nextDueAt(['target']);
  const planOf = (text: string): readonly string[] =>
    prepare(`EXPLAIN QUERY PLAN ${text.replaceAll(/@\w+|\?/gu, '1')}`)
      .all()
      .map((step) => String(Object(step).detail));
  const queries = texts.filter((text) => text.startsWith('SELECT'));
  assert.ok(queries.some((text) => text.includes('owner_key AS owner FROM tasks')));
  for (const text of queries) {
    const whole = planOf(text).filter((step) => WHOLE_TABLE.test(step));
    assert.equal(whole, [], text);
  }
  // Indexes of few rows, not of all queued or ended ones.
  for (const [index, times] of [
    ['tasks_resting', 1],
    ['tasks_to_stamp', 1],
    ['notifications_in_delivery', 3],
  ] as const) {
    const used = texts.flatMap(planOf).filter((step) => step.includes(`INDEX ${index}`));
    assert.is(used.length, times, index);
  }
  database.close();
});

test.run();
