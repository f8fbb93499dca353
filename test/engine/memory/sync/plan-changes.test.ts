import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { StoredDocument } from '../../../../src/engine/memory/index/documents.js';
import {
  extractionMark,
  isRacy,
  isSameTree,
  isUpToDate,
  planChanges,
  snapshotOf,
  workOf,
} from '../../../../src/engine/memory/sync/plan-changes.js';
import type { SourceFile } from '../../../../src/engine/memory/types.js';

const test = suite('planning changes');

const NOW = 1_700_000_000_000;

function file(path: string, change: Partial<SourceFile> = {}): SourceFile {
  const times = { mtimeMs: NOW - 60_000, ctimeMs: NOW - 60_000 };
  const absolutePath = `/ws/${path}`;
  return { source: 'memory', kind: 'markdown', path, absolutePath, size: 10, ...times, ...change };
}

function stored({ source, path, kind, size, mtimeMs, ctimeMs }: SourceFile): StoredDocument {
  const fingerprint = { size, mtimeMs, ctimeMs };
  return { source, path, kind, hash: 'x', indexedMs: NOW, fingerprint };
}

const fileLists = fc
  .uniqueArray(fc.record({ name: fc.nat(20), size: fc.nat(3), mtime: fc.nat(3) }), {
    selector: (row) => row.name,
    maxLength: 12,
  })
  .map((rows) =>
    rows.map((row) => file(`${row.name}.md`, { size: row.size, mtimeMs: NOW - 5000 - row.mtime })),
  );

test('a plan reads what is new or changed, removes what is gone, and leaves the rest', () => {
  fc.assert(
    fc.property(fileLists, fileLists, (before, after) => {
      const plan = planChanges(after, before.map(stored));
      const old = new Map(before.map((f) => [f.path, f]));
      const isChanged = (f: SourceFile): boolean => {
        const was = old.get(f.path);
        return was === undefined || was.size !== f.size || was.mtimeMs !== f.mtimeMs;
      };
      assert.equal(
        plan.read.map((r) => r.file.path),
        after.filter(isChanged).map((f) => f.path),
      );
      const names = new Set(after.map((f) => f.path));
      assert.equal(
        plan.remove.map((d) => d.path),
        before.filter((f) => !names.has(f.path)).map((f) => f.path),
      );
      assert.is(plan.unchanged + plan.read.length, after.length);
    }),
  );
});

test('the same files again leave nothing to do', () => {
  fc.assert(fc.property(fileLists, (files) => isUpToDate(planChanges(files, files.map(stored)))));
});

test('a changed time of the inode alone is a change: times can be set back', () => {
  const plan = planChanges([file('a.md', { ctimeMs: NOW - 5 })], [stored(file('a.md'))]);
  assert.is(plan.read.length, 1);
  const seen = (ctimeMs: number) => snapshotOf([file('a.md', { ctimeMs })], NOW);
  const [before, after] = [seen(NOW - 5000), seen(NOW - 4000)];
  assert.ok(before !== undefined && after !== undefined);
  assert.not(isSameTree(before, after));
});

test('a document whose text was extracted by another version is read again', () => {
  const document = file('a.pdf', { kind: 'extracted' });
  const readAgain = (hash: string) =>
    planChanges([document], [{ ...stored(document), hash }]).read.length;
  assert.equal([readAgain(`x${extractionMark()}`), readAgain('x.x0')], [0, 1]);
});

test('a file written just before it was read is read again', () => {
  const fresh = file('a.md', { mtimeMs: NOW - 19.5, ctimeMs: NOW - 19.5 });
  assert.is(planChanges([fresh], [stored(fresh)]).read.length, 1);
  const older = file('a.md', { mtimeMs: NOW - 20.5, ctimeMs: NOW - 20.5 });
  assert.is(planChanges([older], [stored(older)]).read.length, 0);
});

test('times in whole seconds come from a coarse clock, and are trusted later', () => {
  const isRacyAt = (mtimeMs: number): boolean => isRacy({ mtimeMs, ctimeMs: mtimeMs }, NOW);
  assert.ok(isRacyAt(NOW - 2000));
  assert.not(isRacyAt(NOW - 3000));
  assert.not(isRacyAt(NOW - 2000.5));
});

test('a time that was set in the future is trusted, unless that of the inode is in the future too', () => {
  const later = NOW + 86_400_000;
  assert.not(isRacy({ mtimeMs: later, ctimeMs: NOW - 3000 }, NOW));
  assert.ok(isRacy({ mtimeMs: later, ctimeMs: NOW - 10 }, NOW));
  assert.ok(isRacy({ mtimeMs: later, ctimeMs: later }, NOW));
  assert.ok(isRacy({ mtimeMs: NOW + 10, ctimeMs: NOW - 3000 }, NOW));
});

test('equal paths of different sources are different documents', () => {
  const plan = planChanges([file('a.md')], [stored(file('a.md', { source: 'sessions' }))]);
  assert.equal([plan.read.length, plan.remove.length], [1, 1]);
});

test('a snapshot equals another exactly when both saw the same', () => {
  fc.assert(
    fc.property(fileLists, fileLists, (before, after) => {
      const [a, b] = [snapshotOf(before, NOW), snapshotOf(after, NOW)];
      assert.ok(a !== undefined && b !== undefined);
      assert.is(isSameTree(a, b), JSON.stringify(before) === JSON.stringify(after));
    }),
  );
});

test('a file that was just written has no snapshot', () => {
  assert.is(snapshotOf([file('a.md', { mtimeMs: NOW - 19.5 })], NOW), undefined);
  assert.is.not(snapshotOf([file('a.md', { mtimeMs: NOW - 20.5 })], NOW), undefined);
});

test('a path cannot be mistaken for two', () => {
  const one = snapshotOf([file('a.md'), file('b.md')], NOW);
  const other = snapshotOf([file('a.md\nb.md'), file('')], NOW);
  assert.ok(one !== undefined && other !== undefined && !isSameTree(one, other));
  // The SQLite of Node.js 22 reads a text only up to NUL.
  assert.not.match(one.paths, '\0');
});

test('a file that a process extracts is as much work as a long note, and an image less', () => {
  const works = (['markdown', 'extracted', 'media'] as const).map((kind) =>
    workOf(file('x', { kind, size: 1600 })),
  );
  assert.equal(works, [1600, 1600 + 2 * 1024 * 1024, 100]);
});

test.run();
