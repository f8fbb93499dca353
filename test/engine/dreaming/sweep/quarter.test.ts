import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveConfig } from '../../../../src/engine/config/index.js';
import { promotedEntries } from '../../../../src/engine/dreaming/promotion/memory-file.js';
import { appendRecall } from '../../../../src/engine/dreaming/recall-log/recall-log.js';
import { recallOf } from '../../../../src/engine/dreaming/recall-log/recalled-claims.js';
import { runSweep } from '../../../../src/engine/dreaming/sweep/run-sweep.js';
import { NEVER } from '../../../../src/engine/support/async.js';
import { NOTES_ONLY } from '../../../support/dreams.js';
import { backendOn, targetOf } from '../../../support/memory.js';
import { DAYS, MS_PER_DAY, START_MS, simulatedQuarter } from './simulated-quarter.js';

const { dreaming } = resolveConfig({}).plugins.entries['memory-core'].config;

test('over a quarter, needed claims are promoted, and nothing else', async () => {
  const quarter = simulatedQuarter(7);
  const backend = backendOn(
    targetOf(quarter.workspace.dir, {
      layout: 'agent',
      indexFile: quarter.home.at('index.sqlite'),
    }),
  );
  for (let day = 0; day < DAYS; day++) {
    quarter.writeNote(day);
    const noon = START_MS + day * MS_PER_DAY;
    for (const query of quarter.questionsOf(day)) {
      const recall = recallOf(await backend.search({ query }), noon);
      if (recall !== undefined) appendRecall(quarter.workspace.files.recallLog, recall);
    }
    await runSweep({
      workspace: quarter.workspace,
      settings: dreaming,
      agentSources: NOTES_ONLY,
      timeZone: 'UTC',
      // Three in the next night.
      clock: { now: () => noon + 15 * 3_600_000 },
      trigger: 'schedule',
      signal: NEVER,
    });
  }
  await backend.close();
  const promoted = promotedEntries(memoryText(quarter.workspace.dir)).map(({ text }) => text);
  const needed = quarter.facts.filter(({ askedOn }) => askedOn.length > 0);
  const durable = new Set(quarter.facts.map(({ text }) => text));
  const precision = promoted.filter((text) => durable.has(text)).length / promoted.length;
  const recall = needed.filter(({ text }) => promoted.includes(text)).length / needed.length;
  const junk = promoted.filter((text) => quarter.junk.has(text));
  assert.equal(junk, []);
  assert.ok(precision >= 0.9, `precision ${precision}`);
  assert.ok(recall >= 0.8, `recall ${recall}`);
  // An entry is a line and its comment: it grows with what is needed, and with nothing else.
  assert.ok(memoryText(quarter.workspace.dir).length < needed.length * 350);
});

function memoryText(dir: string): string {
  try {
    return readFileSync(`${dir}/MEMORY.md`, 'utf8');
  } catch {
    return '';
  }
}

test.run();
