import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { flowRows } from '../../../../../src/engine/flows/store/sqlite/flow-rows.js';
import { notificationRows } from '../../../../../src/engine/flows/store/sqlite/notification-rows.js';
import { openFlowsDatabase } from '../../../../../src/engine/flows/store/sqlite/open-database.js';
import { taskRows } from '../../../../../src/engine/flows/store/sqlite/task-rows.js';
import { tempFolder } from '../../../../support/temp-folder.js';

const test = suite('statements of the database of flows');

/** The big tables. */
const WHOLE_TABLE = /^SCAN (?:flows|tasks|notifications)$/u;

test('that are kept ready find what they need through an index', () => {
  const database = openFlowsDatabase(tempFolder().at('flows.sqlite'));
  const prepare = database.prepare.bind(database);
  const texts: string[] = [];
  database.prepare = (text: string) => {
    texts.push(text);
    return prepare(text);
  };
  taskRows(database);
  flowRows(database);
  notificationRows(database);
  const queries = texts.filter((text) => text.startsWith('SELECT'));
  assert.ok(queries.some((text) => text.includes('owner_key FROM tasks')));
  for (const text of queries) {
    const plan = prepare(`EXPLAIN QUERY PLAN ${text.replaceAll(/@\w+|\?/gu, '1')}`).all();
    const whole = plan.filter((step) => WHOLE_TABLE.test(String(Object(step).detail)));
    assert.equal(whole, [], text);
  }
  database.close();
});

test.run();
