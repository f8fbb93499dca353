import { statSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import { readForgotten } from '../../../../src/engine/memory/forgotten/index.js';
import {
  logOpened,
  logSearch,
  MOST_SEARCHES,
  readSearchLog,
  retryWhileBusy,
  searchLogFile,
  searchLogStore,
} from '../../../../src/engine/memory/lookups/search-log.js';
import { createDatabase } from '../../../../src/engine/sqlite/database.js';
import { failureOf } from '../../../support/failure.js';
import { backendOn, targetOf } from '../../../support/memory.js';
import { folderOf, tempFolder } from '../../../support/temp-folder.js';

const test = suite('the log of searches');

const KEY = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789';
const SECRET = 'The code of the front door is 4711, says the janitor.';
const mask = createSecretMask().text;
const HOUR = 3_600_000;

function newFile(): string {
  return searchLogFile({ stateDir: tempFolder().path }, 'main');
}

async function answerTo(query: string) {
  const notes = folderOf({ 'door.md': `# Door\n\n${SECRET}\n`, 'bell.md': '# Bell\n\nBroken.\n' });
  const backend = backendOn(targetOf(notes.path));
  return { backend, response: await backend.search({ query, minScore: 0 }) };
}

test('a search is logged with its hits and those opened within an hour', async () => {
  const file = newFile();
  assert.equal(readSearchLog(file, { limit: 9 }), []);
  const { backend, response } = await answerTo('front door');
  logSearch(file, response, { atMs: 1000, mask });
  logOpened(file, await backend.get({ target: 'door.md#L3' }), 2000);
  logOpened(file, await backend.get({ target: 'bell.md' }), 2000);
  logOpened(file, await backend.get({ target: 'door.md' }), 1001 + HOUR);
  const [hit] = response.results;
  assert.equal(readSearchLog(file, { limit: 9 }), [
    {
      at: new Date(1000).toISOString(),
      query: 'front door',
      mode: 'lexical',
      hits: [
        { path: 'door.md', startLine: hit?.startLine, endLine: hit?.endLine, score: hit?.score },
      ],
      opened: [{ path: 'door.md', startLine: 3, endLine: 3, at: new Date(2000).toISOString() }],
    },
  ]);
  assert.is(statSync(file).mode & 0o777, 0o600);
});

test('opening a file without a search creates no log', async () => {
  const file = newFile();
  const { backend } = await answerTo('front door');
  logOpened(file, await backend.get({ target: 'door.md' }), 1);
  assert.is(statSync(file, { throwIfNoEntry: false }), undefined);
});

test('secrets are masked, and only the newest searches are kept', () => {
  const file = newFile();
  const search = (query: string, atMs: number): void =>
    logSearch(file, { query, mode: 'lexical', results: [] }, { atMs, mask });
  for (let at = 0; at <= MOST_SEARCHES; at++) search(`question ${at}`, at);
  search(`whose is ${KEY}`, 9_000);
  const kept = readSearchLog(file, { limit: 5000 });
  assert.is(kept.length, MOST_SEARCHES);
  assert.not.ok(kept[0]?.query.includes(KEY));
  assert.match(kept[0]?.query ?? '', /^whose is /u);
  assert.is(kept.at(-1)?.query, 'question 2');
  assert.equal(
    readSearchLog(file, { sinceMs: 1000, limit: 5000 }).map(({ at }) => Date.parse(at)),
    [9000, 1000],
  );
  assert.is(readSearchLog(file, { limit: 3 }).length, 3);
});

test('a search waits for another process that uses the log, and gives up with its error', async () => {
  const file = newFile();
  const write = (): void =>
    logSearch(file, { query: 'door', mode: 'lexical', results: [] }, { atMs: 1, mask });
  write();
  const other = createDatabase(file, 0);
  other.exec('BEGIN IMMEDIATE');
  let tries = 0;
  await retryWhileBusy(() => {
    tries += 1;
    if (tries === 3) other.exec('COMMIT');
    write();
  });
  other.close();
  assert.equal([tries, readSearchLog(file, { limit: 9 }).length], [3, 2]);
  writeFileSync(file, 'not a database '.repeat(100));
  assert.is((await failureOf(retryWhileBusy(write))).code, 'SEARCH_LOG_UNUSABLE');
});

test('forgetting removes the searches for forgotten lines, and those that found them', async () => {
  const file = newFile();
  const notes = folderOf({ 'door.md': `# Door\n\n${SECRET}\n`, 'bell.md': '# Bell\n\nBroken.\n' });
  const target = targetOf(notes.path);
  const backend = backendOn(target);
  await backend.sync({});
  for (const query of [SECRET, 'the bell']) {
    logSearch(file, { query, mode: 'lexical', results: [] }, { atMs: 1, mask });
  }
  const found = await backend.search({ query: 'janitor', minScore: 0 });
  assert.is(found.results.length, 1);
  logSearch(file, found, { atMs: 1, mask });
  logSearch(file, await backend.search({ query: 'broken', minScore: 0 }), { atMs: 1, mask });
  const forgetting = await backend.forgetting();
  const plan = await forgetting.plan({ target: 'door.md#L3' });
  const { at } = await forgetting.hide(plan, { fromFile: false });
  // Other text is on these lines by now.
  logSearch(file, { ...found, query: 'later' }, { atMs: Date.parse(at) + 1, mask });
  const store = searchLogStore(file, forgetting.entries);
  const outcome = await store?.follow(await readForgotten(target.forget));
  assert.equal(outcome, { store: 'search log', changed: 2, clean: true });
  assert.equal(
    readSearchLog(file, { limit: 9 }).map(({ query }) => query),
    ['later', 'broken', 'the bell'],
  );
});

test.run();
