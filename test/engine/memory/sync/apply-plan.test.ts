import { statSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractedTexts } from '../../../../src/engine/memory/extract/index.js';
import { NOTHING_FORGOTTEN } from '../../../../src/engine/memory/forgotten/index.js';
import { readDocument } from '../../../../src/engine/memory/sources/index.js';
import { applyPlan } from '../../../../src/engine/memory/sync/apply-plan.js';
import { fileSteps, Tally } from '../../../../src/engine/memory/sync/file-steps.js';
import { planChanges } from '../../../../src/engine/memory/sync/plan-changes.js';
import type { SourceFile } from '../../../../src/engine/memory/types.js';
import { targetOf } from '../../../support/memory.js';
import { folderOf } from '../../../support/temp-folder.js';
import { emptyIndexFile, openReadyIndex } from '../../../support/vector-index.js';

const test = suite('applying a plan');

test('a file that changes while its batch is prepared is read again, on a file system with whole seconds', async () => {
  const ws = folderOf({ 'page.html': '<p>old</p>' });
  const absolutePath = ws.at('page.html');
  const { size, ctimeMs } = statSync(absolutePath);
  let nowMs = 1_700_000_000_000;
  const times = { mtimeMs: nowMs, ctimeMs };
  const file: SourceFile = {
    ...{ source: 'memory', kind: 'extracted', path: 'page.html', absolutePath, size },
    ...times,
  };
  /** Half a second after a file was read, it is written again; then others are read. */
  class SlowTexts extends ExtractedTexts {
    override async read(...request: Parameters<ExtractedTexts['read']>) {
      const outcome = await super.read(...request);
      ws.write('page.html', '<p>new</p>');
      nowMs += 2100;
      if (!outcome.ok) return outcome;
      return { ...outcome, document: { ...outcome.document, fingerprint: { size, ...times } } };
    }
  }
  const index = openReadyIndex(emptyIndexFile());
  await applyPlan(index, planChanges([file], []), {
    chunking: { tokens: 400, overlap: 80 },
    forgotten: NOTHING_FORGOTTEN,
    texts: new SlowTexts(targetOf(ws.path)),
    clock: { now: () => nowMs },
    vectorsFollow: false,
    signal: undefined,
    onEvent: () => undefined,
  });
  const stored = await index.documents();
  assert.equal(stored[0]?.fingerprint, { size, ...times });
  assert.is(planChanges([file], stored).read.length, 1);
  await index.close();
});

test('a file of several parts counts once, and nothing of it stays if its rest cannot be read', () => {
  const times = { size: 2, mtimeMs: 1, ctimeMs: 1 };
  const key = { source: 'sessions', kind: 'transcript', path: 'sessions/a.jsonl' } as const;
  const file = { ...key, absolutePath: '/a.jsonl', ...times };
  const document = { ...key, fingerprint: times, hash: 'x', chunks: [] };
  const part = { state: 'changed', bytes: 1, isLast: false } as const;
  const parts = [
    { ...part, change: { type: 'put', document } as const },
    { ...part, change: { type: 'extend', document, replacesLast: 0 } as const },
    { state: 'skipped', skip: { path: key.path, reason: 'unreadable', detail: '' } } as const,
  ];
  const tally = new Tally({ read: [], remove: [], unchanged: 0 });
  const steps = [...fileSteps({ file, stored: undefined }, parts, tally, () => undefined)];
  assert.equal(steps.at(-1)?.change, { type: 'remove', key: file });
  assert.is(tally.documents, 1);
});

test('long documents are removed a few at a time', async () => {
  const index = openReadyIndex(emptyIndexFile());
  const MB = 1024 * 1024;
  const stored = [3, 3, 3, 5, 1, 1].map((size, at) => {
    const fingerprint = { size: size * MB, mtimeMs: 1, ctimeMs: 1 };
    const key = { source: 'memory', path: `${at}.md`, kind: 'markdown' } as const;
    return { ...key, fingerprint, hash: '', indexedMs: 1 };
  });
  const batches: string[][] = [[]];
  await applyPlan(index, planChanges([], stored), {
    chunking: { tokens: 400, overlap: 80 },
    forgotten: NOTHING_FORGOTTEN,
    texts: new ExtractedTexts(targetOf(folderOf({}).path)),
    clock: { now: () => Date.now() },
    vectorsFollow: false,
    signal: undefined,
    onEvent: (event) => {
      if (event.type === 'document.removed') batches.at(-1)?.push(event.path);
      if (event.type === 'batch.committed') batches.push([]);
    },
  });
  index.close();
  assert.equal(batches, [['0.md', '1.md'], ['2.md', '3.md'], ['4.md', '5.md'], []]);
});

test('others get some time between two batches, not only one turn of the event loop', async () => {
  const names = Array.from({ length: 257 }, (_, n) => `${n}.md`);
  const ws = folderOf(Object.fromEntries(names.map((name) => [name, '# A note'])));
  const files = names.map((path): SourceFile => {
    const absolutePath = ws.at(path);
    const { size, mtimeMs, ctimeMs } = statSync(absolutePath);
    return { source: 'memory', kind: 'markdown', path, absolutePath, size, mtimeMs, ctimeMs };
  });
  const index = openReadyIndex(emptyIndexFile());
  // All are added, then all are removed.
  for (const current of [files, []]) {
    const committedMs: number[] = [];
    let restMs: number | undefined;
    await applyPlan(index, planChanges(current, await index.documents()), {
      chunking: { tokens: 400, overlap: 80 },
      forgotten: NOTHING_FORGOTTEN,
      texts: new ExtractedTexts(targetOf(ws.path)),
      clock: { now: () => Date.now() },
      vectorsFollow: false,
      signal: undefined,
      onEvent: ({ type }) => {
        if (type === 'batch.committed') committedMs.push(performance.now());
        else if (committedMs.length === 1) restMs ??= performance.now() - (committedMs[0] ?? 0);
      },
    });
    assert.is((await index.documents()).length, current.length);
    assert.is(committedMs.length, 2);
    // Timers can fire a moment early.
    assert.ok(restMs !== undefined && restMs > 2, `${restMs} ms`);
  }
  await index.close();
});

test('what was extracted of a few files is stored and shown before more are extracted', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `${n}.html`);
  const ws = folderOf(Object.fromEntries(names.map((name) => [name, 'a page'])));
  const files = names.map((path): SourceFile => {
    const absolutePath = ws.at(path);
    const { size, mtimeMs, ctimeMs } = statSync(absolutePath);
    return { source: 'memory', kind: 'extracted', path, absolutePath, size, mtimeMs, ctimeMs };
  });
  const seen: string[] = [];
  class FastTexts extends ExtractedTexts {
    override async read({ absolutePath, path }: SourceFile) {
      seen.push('extracted');
      return readDocument(absolutePath, path);
    }
  }
  const index = openReadyIndex(emptyIndexFile());
  await applyPlan(index, planChanges(files, []), {
    chunking: { tokens: 400, overlap: 80 },
    forgotten: NOTHING_FORGOTTEN,
    texts: new FastTexts(targetOf(ws.path)),
    clock: { now: () => Date.now() },
    vectorsFollow: false,
    signal: undefined,
    onEvent: ({ type }) => seen.push(type),
  });
  await index.close();
  assert.is(seen.filter((one) => one === 'extracted').length, 40);
  assert.is(seen.filter((one) => one === 'batch.committed').length, 3);
  assert.is(seen.indexOf('document.indexed'), 16);
});

test.run();
