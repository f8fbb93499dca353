import { appendFileSync, statSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import { readForgotten } from '../../../../src/engine/memory/forgotten/index.js';
import {
  addToQueryHistory,
  queryHistoryFile,
  queryHistoryStore,
  readQueryHistory,
} from '../../../../src/engine/memory/lookups/query-history.js';
import { backendOn, targetOf } from '../../../support/memory.js';
import { folderOf, tempFolder } from '../../../support/temp-folder.js';

const test = suite('the history of queries');

const mask = createSecretMask().text;
const SECRET = 'The code of the front door is 4711, says the janitor.';

function historyOf(...queries: readonly string[]): string {
  const file = queryHistoryFile({ stateDir: tempFolder().at('state') });
  for (const query of queries) addToQueryHistory(file, query, mask);
  return file;
}

test('the newest is first, each query is there once, and only its user can read it', () => {
  assert.equal(readQueryHistory(historyOf()), []);
  const file = historyOf('one', ' two ', 'three', 'one', '  ', 'x'.repeat(501));
  assert.equal(readQueryHistory(file), ['one', 'three', 'two']);
  assert.is(statSync(file).mode & 0o777, 0o600);
});

test('500 are kept', () => {
  const file = historyOf(...Array.from({ length: 502 }, (_, at) => `query ${at}`));
  const kept = readQueryHistory(file);
  assert.equal([kept.length, kept[0], kept.at(-1)], [500, 'query 501', 'query 2']);
});

test('secrets are masked', () => {
  const file = historyOf('key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789');
  assert.not.match(readQueryHistory(file).join(), 'abcdefghijk');
});

test('lines that are damaged are left out, and control characters are kept as they are', () => {
  const file = historyOf('a\u001B[31m\nb');
  appendFileSync(file, '{"no": 1}\n"half\n');
  addToQueryHistory(file, 'c', mask);
  assert.equal(readQueryHistory(file), ['c', 'a\u001B[31m\nb']);
});

test('forgetting removes the queries with forgotten lines', async () => {
  const file = historyOf(SECRET, 'the bell');
  const notes = folderOf({ 'door.md': `# Door\n\n${SECRET}\n` });
  const target = targetOf(notes.path);
  const backend = backendOn(target);
  await backend.sync({});
  const forgetting = await backend.forgetting();
  await forgetting.hide(await forgetting.plan({ target: 'door.md#L3' }), { fromFile: false });
  const forgotten = await readForgotten(target.forget);
  const outcome = await queryHistoryStore(file)?.follow(forgotten, {});
  assert.equal(outcome, { store: 'query history', changed: 1, clean: true });
  assert.equal(readQueryHistory(file), ['the bell']);
  assert.is(queryHistoryStore(`${file}.none`), undefined);
});

test.run();
