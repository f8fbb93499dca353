import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dreamWorkspace } from '../../../../src/engine/dreaming/dream-workspace.js';
import {
  handWritten,
  promotedEntries,
} from '../../../../src/engine/dreaming/promotion/memory-file.js';
import { openDreams } from '../../../../src/engine/dreaming/store/dream-database.js';
import { runSweep } from '../../../../src/engine/dreaming/sweep/run-sweep.js';
import { NEVER } from '../../../../src/engine/support/async.js';
import { compileProgram } from '../../../support/compile.js';
import { NOTES_ONLY } from '../../../support/dreams.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { claimOf, MAX_CHARS, NIGHT, tightSettings } from './sweeping-claims.js';

const HAND = '# Mine\n\nBy hand.\n';
const ROUNDS = Number(process.env['SVC_CRASH_ROUNDS'] ?? 8);
const CHILD = await compileProgram(new URL('sweeping-child.ts', import.meta.url));
const ARCHIVE = 'notes/memory/archive/2026-11.md';

test('killed at any moment, MEMORY.md is whole, each entry is in it or in the archive, and the next sweep ends what was begun', async () => {
  const home = tempFolder();
  home.write('notes/MEMORY.md', HAND);
  const workspace = dreamWorkspace(home.at('notes'), { stateDir: home.at('state') });
  const read = (): string => readFileSync(home.at('notes/MEMORY.md'), 'utf8');
  for (let round = 0; round < ROUNDS; round++) {
    await killedAfter(20 + Math.random() * 150, [
      home.at('notes'),
      home.at('state'),
      `${round * 1000}`,
    ]);
    assertWhole(read());
    await runSweep({
      workspace,
      settings: tightSettings(),
      agentSources: NOTES_ONLY,
      timeZone: 'UTC',
      clock: { now: () => NIGHT },
      trigger: 'manual',
      signal: NEVER,
    });
    const text = read();
    assertWhole(text);
    const written = promotedEntries(text).map(({ key }) => key);
    const dreams = openDreams(workspace);
    const marked = dreams?.entries.since(0).filter(({ fate }) => fate === 'promoted') ?? [];
    assert.equal(dreams?.sweeps.planned(), []);
    dreams?.close();
    const archive = existsSync(home.at(ARCHIVE)) ? readFileSync(home.at(ARCHIVE), 'utf8') : '';
    const retired = promotedEntries(archive).map(({ key }) => key);
    // What is in one of the files is marked, and what is marked is in one of the files, once.
    const all = [...written, ...retired].toSorted();
    assert.equal(all, marked.map(({ key }) => key).toSorted());
    assert.is(new Set(all).size, all.length);
    assert.ok(text.length <= MAX_CHARS, `${text.length}`);
  }
  assert.ok(promotedEntries(read()).length > 0);
  assert.ok(existsSync(home.at(ARCHIVE)));
});

/** Every line of the file is a person's, or belongs to a whole entry. */
function assertWhole(text: string): void {
  assert.ok(text.startsWith(HAND));
  const known = new Set(Array.from({ length: ROUNDS * 1000 }, (_, number) => claimOf(number)));
  for (const entry of promotedEntries(text)) assert.ok(known.has(entry.text), entry.text);
  const rest = handWritten(text)
    .slice(HAND.length)
    .replaceAll(/^## Promoted.*$/gmu, '');
  assert.is(rest.trim(), '');
}

async function killedAfter(ms: number, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [CHILD, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  await pause(ms);
  child.kill('SIGKILL');
  await ended;
}

test.run();
