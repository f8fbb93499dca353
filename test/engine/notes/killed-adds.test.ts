import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listWrites } from '../../../src/engine/notes/undo-notes.js';
import { compileProgram } from '../../support/compile.js';
import { tempFolder } from '../../support/temp-folder.js';
import { noteWorld } from './note-world.js';

const test = suite('processes that are killed while they add and undo');

const CHILD = await compileProgram(new URL('killed-adds.ts', import.meta.url));
const ROUNDS = 2;
const TOGETHER = 2;
const LONGEST_WAIT_MS = 400;

/** What a process had reported when it was killed at a random moment after its first write. */
async function killedRun(home: string, name: string): Promise<string> {
  const child = spawn(process.execPath, [CHILD, home, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  const closed = once(child, 'close');
  await new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('added ')) resolve();
    });
  });
  await pause(Math.random() * LONGEST_WAIT_MS);
  child.kill('SIGKILL');
  await closed;
  return said;
}

test('every acknowledged line is there once, every undone one is gone, and nothing is torn', async () => {
  const folder = tempFolder();
  folder.write('notes/MEMORY.md', '# Mine\n');
  const home = folder.path;
  let said = '';
  for (let round = 0; round < ROUNDS; round++) {
    const names = Array.from({ length: TOGETHER }, (_, at) => `${round}.${at}`);
    said += (await Promise.all(names.map((name) => killedRun(home, name)))).join('');
  }
  const reported = (word: string): ReadonlySet<string> =>
    new Set(
      [...said.matchAll(new RegExp(`^${word} (.*)\\n`, 'gmu'))].map(([, text]) => text ?? ''),
    );
  const [adding, added, undoing, undone] = ['adding', 'added', 'undoing', 'undone'].map(reported);
  assert.ok(adding && added && undoing && undone);
  assert.ok(added.size >= ROUNDS * TOGETHER);

  // Completes what the killed ones began.
  const { memory, options } = await noteWorld(home);
  const known = new Set((await listWrites(memory, options)).map(({ text }) => text));
  await memory.backend.close();

  const lines = readdirSync(folder.at('notes/memory'))
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => readFileSync(folder.at(`notes/memory/${name}`), 'utf8').split('\n'))
    .filter((line) => line !== '' && !/^# \d{4}-\d\d-\d\d$/u.test(line));
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const [line, count] of counts) {
    assert.is(count, 1, line);
    assert.ok(adding.has(line.replace(/^- /u, '')), `torn: ${line}`);
    // Only so many writes can be undone.
    assert.ok(known.has(line) || known.size >= 500, `cannot be undone: ${line}`);
  }
  for (const text of added) {
    if (!undoing.has(text)) assert.ok(counts.has(`- ${text}`), `lost: ${text}`);
  }
  for (const text of undone) assert.not(counts.has(`- ${text}`), `came back: ${text}`);
});

test.run();
