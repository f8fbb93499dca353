import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MemoryBackend } from '../../../../src/engine/memory/backends/memory-backend.js';
import type { KeptIndex } from '../../../../src/engine/memory/keeper/sync-index.js';
import { exportedPath, isSafePath } from '../../../../src/engine/memory/transfer/export-format.js';
import type { ExistingFiles } from '../../../../src/engine/memory/transfer/import-memory.js';
import { codePoint } from '../../../support/code-point.js';
import { failureOf } from '../../../support/failure.js';
import { backendOn, onIndex, targetOf } from '../../../support/memory.js';
import { folderOf, type TempFolder, tempFolder } from '../../../support/temp-folder.js';

const test = suite('exporting and importing a memory');

interface World {
  readonly notes: TempFolder;
  readonly target: KeptIndex;
  readonly backend: MemoryBackend;
}

function worldOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  extraPaths: readonly string[] = [],
): World {
  const notes = folderOf(files);
  const target = targetOf(notes.path, { extraPaths });
  return { notes, target, backend: backendOn(target) };
}

async function exportOf({ backend }: Pick<World, 'backend'>, vectors = false) {
  const lines: string[] = [];
  const transfer = await backend.transfer();
  const tally = await transfer.export({ agent: 'main', vectors }, async (line) => {
    lines.push(line);
  });
  return { text: lines.join(''), tally };
}

async function exported(world: World, vectors = false): Promise<string> {
  return (await exportOf(world, vectors)).text;
}

async function importInto(
  { backend }: World,
  text: string | Uint8Array,
  { existing = 'refuse', into }: { existing?: ExistingFiles; into?: string } = {},
) {
  const file = tempFolder().write('export.jsonl', text);
  const transfer = await backend.transfer();
  return transfer.import(await transfer.planImport(file, into), existing);
}

function filesOf(dir: string): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(dir, name)).isFile())
      .map((name) => [name, readFileSync(join(dir, name), 'base64')]),
  );
}

/** Gives every passage a vector made from its text. */
async function embed(world: World, identity: string): Promise<void> {
  await world.backend.sync({});
  await onIndex(world.target, async (index) => {
    const missing = await index.missingEmbeddings(identity, 0, 1000);
    const entries = missing.map((one) => {
      return { hash: one.hash, vectors: [Float32Array.of(one.text.length, 1, 2)] };
    });
    await index.putEmbeddings(identity, entries);
  });
}

const NOTES = {
  'MEMORY.md': '# Cars\n\nWe bought an automobile in spring.\n',
  'memory/2026-02-03.md': '\uFEFF## Backups\r\n\r\nThe nightly backup runs at 02:30.\r\n',
  'memory/odd.md': Uint8Array.of(0x23, 0x20, 0xff, 0xfe, 0x00, 0x0a, 0x61),
  'memory/deep/er/empty.md': '',
};

test('a name that this file system cannot store is reported, and nothing is written', async () => {
  const name = `${'長'.repeat(100)}.md`;
  const other = worldOf({});
  const failure = await failureOf(importInto(other, exportWith('a.md', name)));
  assert.is(failure.code, 'IMPORT_FAILED', failure.message);
  assert.is(
    failure.message,
    `${name} cannot be imported: its name is too long for this file system`,
  );
  assert.equal(filesOf(other.notes.path), {});
});

test('a note from before 1970 keeps its time', async () => {
  const world = worldOf({ 'old.md': 'old' });
  const modified = new Date(-43_200_000);
  utimesSync(world.notes.at('old.md'), modified, modified);
  const other = worldOf({});
  await importInto(other, await exported(world));
  assert.is(statSync(other.notes.at('old.md')).mtimeMs, -43_200_000);
});

test('every file comes back to the byte, with the time it was changed', async () => {
  const from = worldOf(NOTES);
  const to = worldOf({});
  const result = await importInto(to, await exported(from));
  assert.equal(filesOf(to.notes.path), filesOf(from.notes.path));
  assert.equal(result.written, Object.keys(NOTES).sort());
  assert.is(result.notIndexed, 0);
  for (const path of Object.keys(NOTES)) {
    const difference = statSync(from.notes.at(path)).mtimeMs - statSync(to.notes.at(path)).mtimeMs;
    assert.ok(Math.abs(difference) < 1, path);
  }
  assert.is(statSync(to.notes.at('MEMORY.md')).mode & 0o777, 0o600);
});

const words = fc.constantFrom(
  'backup',
  'disk',
  'heron',
  'nightly',
  'ferry',
  '日本',
  'naïve',
  '#',
  '-',
);
const lineOf = fc.array(words, { maxLength: 8 }).map((all) => all.join(' '));
const noteOf = fc
  .tuple(fc.array(lineOf, { maxLength: 30 }), fc.constantFrom('\n', '\r\n'))
  .map(([lines, end]) => lines.join(end));
const names = fc.stringMatching(/^[a-z0-9]{1,8}$/);

test('after an export and import, a search gives the same results', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(names, noteOf, { minKeys: 1, maxKeys: 6 }),
      fc.array(words, { minLength: 1, maxLength: 3 }),
      async (notes, query) => {
        const files = Object.entries(notes).map(([name, text]) => [`memory/${name}.md`, text]);
        const from = worldOf(Object.fromEntries(files));
        const to = worldOf({});
        await embed(from, 'a model');
        const text = await exported(from, true);
        await importInto(to, text);
        const ask = { query: query.join(' '), minScore: 0, maxResults: 50 };
        const [before, after] = [await from.backend.search(ask), await to.backend.search(ask)];
        assert.equal(after.results, before.results);
        const space = (world: World) => onIndex(world.target, (index) => index.vectorSpaces());
        assert.equal(await space(to), await space(from));
        assert.equal(filesOf(to.notes.path), filesOf(from.notes.path));
      },
    ),
    { numRuns: 15 },
  );
});

test('vectors keep the identity that they were made with, and no other uses them', async () => {
  const from = worldOf(NOTES);
  await embed(from, 'a model');
  const text = await exported(from, true);
  const to = worldOf({});
  const { vectors } = await importInto(to, text);
  assert.ok(vectors > 0);
  await onIndex(to.target, async (index) => {
    assert.is(await index.countMissingEmbeddings('a model'), 0);
    assert.ok((await index.countMissingEmbeddings('another model')) > 0);
  });
  assert.not.ok((await exported(from)).includes('"type":"vector"'));
});

test('vectors of unknown texts are skipped', async () => {
  const from = worldOf(NOTES);
  await embed(from, 'a model');
  const text = await exported(from, true);
  const to = worldOf({ 'MEMORY.md': 'Something else.\n' });
  const { kept, vectors } = await importInto(to, text, { existing: 'keep' });
  assert.equal(kept, ['MEMORY.md']);
  const [space] = await onIndex(to.target, (index) => index.vectorSpaces());
  assert.equal([space?.chunks, space?.cached], [vectors, 0]);
});

test('forgotten text is not exported', async () => {
  const from = worldOf({ 'a.md': 'Keep this.\n\nThe door code of the cabin is 4711.\n' });
  await from.backend.sync({});
  const forgetting = await from.backend.forgetting();
  await forgetting.hide(await forgetting.plan({ target: 'a.md#L3' }), { fromFile: false });
  const text = await exported(from);
  assert.ok(text.includes('Keep this.'));
  // Not the number, which a hash can contain.
  assert.not.ok(text.includes('cabin'));
  const to = worldOf({});
  await importInto(to, text);
  assert.is(readFileSync(to.notes.at('a.md'), 'utf8'), 'Keep this.\n\n\n');
});

test('a document is exported as it is, or left out if something in it is forgotten', async () => {
  const secret = '<p>The door code of the\n<b>cabin</b> is 4711.</p>';
  const notes = folderOf({
    'door.html': `<h1>Door</h1>${secret}`,
    'key.html': '<p>The key is kept with Jo, who is at home.</p>',
    'whole.html': '<p>All of this is old.</p>',
    'a.md': 'The note.\n',
  });
  const documents = ['html'] as const;
  const backend = backendOn(targetOf(notes.path, { documents }));
  await backend.sync({});
  const untouched = await exportOf({ backend });
  assert.equal([untouched.tally.documents, untouched.tally.skipped], [4, []]);
  // Every export reports what is not indexed, not only the one that finds it.
  truncateSync(notes.write('large.md', ''), 100 * 1024 * 1024);
  symlinkSync('a.md', notes.at('linked.md'));
  // Its bytes in Latin-1 are not UTF-8.
  writeFileSync(Buffer.from(notes.at('caf\u00e9.md'), 'latin1'), '');
  for (let round = 0; round < 2; round++) {
    const { skipped } = (await exportOf({ backend })).tally;
    assert.equal(
      skipped.map(({ path, reason }) => [path, reason]),
      [
        ['caf\ufffd.md', 'unreadable'],
        ['linked.md', 'symlink'],
        ['large.md', 'too_large'],
      ],
    );
  }
  rmSync(notes.at('large.md'));
  rmSync(notes.at('linked.md'));
  rmSync(Buffer.from(notes.at('caf\u00e9.md'), 'latin1'));
  const forgetting = await backend.forgetting();
  for (const target of ['cabin 4711', 'whole.html']) {
    await forgetting.hide(await forgetting.plan({ target }), { fromFile: false });
  }
  const { text, tally } = await exportOf({ backend });
  assert.not.match(text, /cabin|old/u);
  assert.match(text, '<p>The key is kept with Jo');
  assert.equal(tally.skipped, [
    { path: 'door.html', reason: 'forgotten' },
    { path: 'whole.html', reason: 'forgotten' },
  ]);
});

test('an index that is replaced during an export is not rebuilt as damaged', async () => {
  const world = worldOf({ 'a.md': 'Amber.', 'b.md': 'Basil.' });
  await world.backend.sync({});
  const other = backendOn(world.target);
  let inode: number | undefined;
  const transfer = await world.backend.transfer();
  const exporting = transfer.export({ agent: 'main', vectors: false }, async () => {
    if (inode !== undefined) return;
    // Its number may be used again at once.
    renameSync(world.target.indexFile, `${world.target.indexFile}.old`);
    await other.sync({});
    inode = statSync(world.target.indexFile).ino;
  });
  assert.is((await failureOf(exporting)).code, 'INDEX_LOCKED');
  assert.is(statSync(world.target.indexFile).ino, inode);
  await other.close();
});

test('documents from outside the workspace land among its notes', async () => {
  const outside = folderOf({ 'shared/plan.md': 'The plan.\n' });
  const from = worldOf({ 'MEMORY.md': 'x\n' }, [outside.at('shared')]);
  const to = worldOf({});
  const { written } = await importInto(to, await exported(from));
  assert.is(written.length, 2);
  const landed = written.find((path) => path.endsWith('plan.md')) ?? '';
  assert.match(landed, /^memory\/imported\/[0-9a-f]{8}\/plan\.md$/);

  // An import into the same memory leaves a copy where the document would be.
  await importInto(from, await exported(from));
  const again = await exported(from);
  assert.equal(exportedPaths(again), ['MEMORY.md', landed]);
  assert.equal((await importInto(to, again)).written, []);
  from.notes.write(landed, 'My copy.\n');
  const both = await exported(from);
  assert.is(exportedPaths(both).length, 3);
  assert.is((await importInto(worldOf({}), both)).written.length, 3);
});

function exportedPaths(text: string): readonly string[] {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return lines.flatMap(({ path }) => path ?? []);
}

test('a file with different content stops the import before anything is written', async () => {
  const text = await exported(worldOf(NOTES));
  const to = worldOf({ 'MEMORY.md': 'Mine.\n' });
  const before = filesOf(to.notes.path);
  assert.is((await failureOf(importInto(to, text))).code, 'IMPORT_CONFLICT');
  assert.equal(filesOf(to.notes.path), before);
});

test('on request it is kept, or replaced with a backup; equal content is not a conflict', async () => {
  const from = worldOf(NOTES);
  const text = await exported(from);
  const to = worldOf({ 'MEMORY.md': 'Mine.\n' });
  const kept = await importInto(to, text, { existing: 'keep' });
  assert.equal([kept.kept, kept.written.length], [['MEMORY.md'], 3]);
  assert.is(readFileSync(to.notes.at('MEMORY.md'), 'utf8'), 'Mine.\n');
  const replaced = await importInto(to, text, { existing: 'replace' });
  assert.equal([replaced.same, replaced.written], [3, []]);
  assert.is(readFileSync(replaced.replaced[0]?.backup ?? '', 'utf8'), 'Mine.\n');
  assert.equal(filesOf(to.notes.path), filesOf(from.notes.path));
  const again = await importInto(to, text);
  assert.equal([again.same, again.written], [4, []]);
});

test('a replaced note keeps its permissions, and one that is read-only is not replaced', async () => {
  const text = await exported(worldOf(NOTES));
  const to = worldOf({ 'MEMORY.md': 'Mine.\n' });
  const file = to.notes.at('MEMORY.md');
  chmodSync(file, 0o444);
  const { code, message } = await failureOf(importInto(to, text, { existing: 'replace' }));
  assert.equal([code, message], ['IMPORT_FAILED', 'cannot replace MEMORY.md: it is read-only']);
  assert.equal(Object.keys(filesOf(to.notes.path)), ['MEMORY.md']);
  chmodSync(file, 0o644);
  await importInto(to, text, { existing: 'replace' });
  assert.is(statSync(file).mode & 0o777, 0o644);
});

test('another folder can be named, even one that does not exist', async () => {
  const text = await exported(worldOf(NOTES));
  const to = worldOf({ 'MEMORY.md': 'Mine.\n' });
  const below = await importInto(to, text, { into: to.notes.at('restored') });
  assert.is(below.notIndexed, 0);
  assert.ok(statSync(to.notes.at('restored/memory/odd.md')).isFile());
  const elsewhere = await importInto(to, text, { into: tempFolder().at('a/b') });
  assert.is(elsewhere.notIndexed, 4);
  const folder = tempFolder();
  symlinkSync('nowhere', folder.at('link'));
  for (const into of [folder.at('link'), folder.at('link/x')]) {
    const { code, message } = await failureOf(importInto(to, text, { into }));
    assert.is(code, 'IMPORT_FAILED');
    assert.match(message, `cannot write to ${into}`);
  }
});

test('a folder that is a link is not followed', async () => {
  const text = await exported(worldOf(NOTES));
  const to = worldOf({});
  const elsewhere = tempFolder();
  symlinkSync(elsewhere.path, to.notes.at('memory'));
  assert.is((await failureOf(importInto(to, text))).code, 'IMPORT_FAILED');
  assert.equal(readdirSync(elsewhere.path), []);
  const file = worldOf({});
  symlinkSync(elsewhere.at('target'), file.notes.at('MEMORY.md'));
  assert.is((await failureOf(importInto(file, text))).code, 'IMPORT_FAILED');
  const folder = worldOf({});
  mkdirSync(folder.notes.at('MEMORY.md'));
  assert.is((await failureOf(importInto(folder, text))).code, 'IMPORT_FAILED');
});

/** An export of a document at each of these paths, sound but for them. */
function exportWith(...paths: readonly string[]): string {
  const head = `{"type":"header","format":"svc-memory","version":1,"at":"2026-02-03T00:00:00.000Z","agent":null}\n`;
  const sha256 = hash('sha256', 'x');
  const known = { modifiedMs: 0, sha256, encoding: 'utf8', content: 'x' };
  const lines = paths.map((path) => `${JSON.stringify({ type: 'document', path, ...known })}\n`);
  const body = `${head}${lines.join('')}`;
  const documents = paths.length;
  const end = { type: 'end', documents, vectors: 0, sha256: hash('sha256', body) };
  return `${body}${JSON.stringify(end)}\n`;
}

const UNSAFE = [
  '../x.md',
  'memory/../../x.md',
  '/etc/x.md',
  '//host/x.md',
  'C:\\x.md',
  'C:/x.md',
  'memory\\..\\x.md',
  'memory//x.md',
  './x.md',
  '.git/hooks/x',
  'memory/.hidden.md',
  'memory/x.md/',
  'memory/x\u0000.md',
  'memory/x\n.md',
  'memory/ x.md',
  '..',
  '.',
];
for (const path of UNSAFE) {
  test(`no document may land at ${JSON.stringify(path)}`, async () => {
    assert.not.ok(isSafePath(path));
    const to = worldOf({});
    const error = await failureOf(importInto(to, exportWith(path)));
    assert.equal([error.code, error.location?.line], ['IMPORT_INVALID', 2]);
    assert.equal(readdirSync(to.notes.path), []);
  });
}

for (const path of ['svc.json', 'package.json', 'memory/Makefile', 'memory/x.py']) {
  test(`an export places no ${path}`, async () => {
    const to = worldOf({});
    const error = await failureOf(importInto(to, exportWith('memory/x.md', path)));
    assert.equal([error.code, error.location?.line], ['IMPORT_INVALID', 3]);
    assert.equal(readdirSync(to.notes.path), []);
  });
}

test('every note can be restored, whatever its name', async () => {
  const names = ['Call at 10:30.md', '.draft.md', '.hidden/a.md', ' lead/a.md', 'a\nb\u001B.md'];
  const long = `${'folder'.repeat(40)}/`.repeat(6);
  const from = worldOf(
    Object.fromEntries([...names, `${long}deep.md`].map((name) => [`memory/${name}`, `${name}\n`])),
  );
  const to = worldOf({});
  const { written } = await importInto(to, await exported(from));
  assert.is(written.length, 6);
  for (const path of written) assert.match(path, /^memory\/imported\/[0-9a-f]{8}\/[^/]+\.md$/);
});

test('the path of whatever is exported is safe', () => {
  const part = fc.oneof(
    fc.string({ unit: codePoint, minLength: 1 }),
    fc.constantFrom('..', '.', 'a:b', ' a ', '.a'),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      const path = exportedPath([...parts, 'note.md'].join('/'));
      assert.ok(isSafePath(path), path);
    }),
  );
});

test('a name of only dots keeps the ending of a note', () => {
  for (const name of ['.md', '..md', '...md', ' .md']) {
    assert.match(exportedPath(`memory/${name}`), /^memory\/imported\/[0-9a-f]{8}\/_\.md$/, name);
  }
});

test('a file cannot be the folder of another', async () => {
  for (const paths of [
    ['memory/a.md', 'memory/a.md/b.md'],
    ['memory/a.md/b.md', 'memory/a.md'],
  ]) {
    const to = worldOf({});
    const error = await failureOf(importInto(to, exportWith(...paths)));
    assert.equal([error.code, error.location?.line], ['IMPORT_INVALID', 3]);
    assert.equal(readdirSync(to.notes.path), []);
  }
});

test('a valid export is accepted', async () => {
  const to = worldOf({});
  assert.equal((await importInto(to, exportWith('memory/x.md'))).written, ['memory/x.md']);
});

test('nothing is written of an export that is truncated, corrupted or reordered', async () => {
  const from = worldOf(NOTES);
  await embed(from, 'a model');
  const text = await exported(from, true);
  const bytes = Buffer.from(text);
  const to = worldOf({});
  const transfer = await to.backend.transfer();
  const file = tempFolder().at('broken.jsonl');
  const refuses = async (broken: Uint8Array | string, what: string): Promise<void> => {
    writeFileSync(file, broken);
    const error = await failureOf(transfer.planImport(file));
    assert.is(error.code, 'IMPORT_INVALID', what);
    assert.ok((error.location?.line ?? 0) > 0, what);
  };
  for (let length = 0; length < bytes.length - 1; length += 17) {
    await refuses(bytes.subarray(0, length), `cut at ${length}`);
  }
  for (let at = 0; at < bytes.length - 1; at += 23) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await refuses(changed, `changed at ${at}`);
  }
  const lines = text.trimEnd().split('\n');
  await refuses([...lines.slice(1)].join('\n'), 'without a header');
  await refuses([...lines.slice(0, 1), ...lines.slice(2)].join('\n'), 'without a document');
  await refuses([...lines, lines[1]].join('\n'), 'with more behind its end');
  await refuses([lines[0], lines[0], ...lines.slice(1)].join('\n'), 'with two headers');
  await refuses([...lines.slice(0, 2), lines[1], ...lines.slice(2)].join('\n'), 'with one twice');
  await refuses(text.replace('"version":1', '"version":2'), 'of another version');
  await refuses(text.replace('"type":"document"', '"type":"picture"'), 'with an unknown line');
  await refuses('', 'empty');
  await refuses('not JSON\n', 'no JSON');
  assert.equal(readdirSync(to.notes.path), []);
});

test('an export of a newer svc is refused with the reason, whatever else it has', async () => {
  const text = await exported(worldOf(NOTES), false);
  const file = tempFolder().at('newer.jsonl');
  writeFileSync(file, text.replace('"version":1', '"version":2,"more":true'));
  const transfer = await worldOf({}).backend.transfer();
  const { code, message, hint } = await failureOf(transfer.planImport(file));
  assert.is(code, 'IMPORT_INVALID');
  assert.match(message, /line 1: a newer svc wrote it \(format 2, this one knows 1\)/u);
  assert.is(hint, 'nothing was written; update svc');
});

test('a missing file is reported, and for a folder of notes the alternative is shown', async () => {
  const transfer = await worldOf({}).backend.transfer();
  const folder = tempFolder().path;
  for (const [file, message, hint] of [
    ['/nonexistent/export.jsonl', 'file not found: /nonexistent/export.jsonl', /memory export/u],
    [folder, `cannot read ${folder}: it is a folder`, /extraPaths/u],
  ] as const) {
    const failure = await failureOf(transfer.planImport(file));
    assert.equal([failure.code, failure.message], ['IMPORT_FAILED', message]);
    assert.match(failure.hint ?? '', hint);
  }
});

test('a named pipe, which could be read only once, is refused and not waited for', async () => {
  const folder = tempFolder();
  execFileSync('mkfifo', [folder.at('pipe')]);
  const transfer = await worldOf({}).backend.transfer();
  const failure = await failureOf(transfer.planImport(folder.at('pipe')));
  const message = `cannot read ${folder.at('pipe')}: it is not a regular file`;
  assert.equal([failure.code, failure.message], ['IMPORT_FAILED', message]);
});

test('an export that grows while it is imported is refused', async () => {
  const text = exportWith('memory/x.md');
  const to = worldOf({});
  const file = tempFolder().write('export.jsonl', text);
  const transfer = await to.backend.transfer();
  const plan = await transfer.planImport(file);
  writeFileSync(
    file,
    text
      .replace('"content":"x"', '"content":"y"')
      .replace(hash('sha256', 'x'), hash('sha256', 'y')),
  );
  appendFileSync(file, '\n');
  assert.is((await failureOf(transfer.import(plan, 'refuse'))).code, 'IMPORT_INVALID');
  assert.equal(readdirSync(to.notes.path), []);
});

test.run();
