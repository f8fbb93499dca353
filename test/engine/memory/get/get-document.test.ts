import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readShared } from '../../../../src/engine/memory/get/get-document.js';
import { lookUpIndexed, lookUpOther } from '../../../../src/engine/memory/get/index.js';
import type { Chunk, DocumentKind } from '../../../../src/engine/memory/types.js';
import { failureOf } from '../../../support/failure.js';
import { backendOn, targetOf } from '../../../support/memory.js';
import { folderOf, withSamePath } from '../../../support/temp-folder.js';
import { openReadyIndex } from '../../../support/vector-index.js';

const test = suite('lines of a document');

test('a name matches in either Unicode form, and of two that look the same, each by its own', async () => {
  const both = 'notes/zürich.md';
  const decomposed = 'notes/größe.md'.normalize('NFD');
  const backend = backendOn(
    targetOf(
      folderOf({
        [decomposed]: 'one',
        [both.normalize('NFC')]: 'composed',
        [both.normalize('NFD')]: 'decomposed',
      }).path,
    ),
  );
  const got = await backend.get({ target: `${decomposed.normalize('NFC')}#L1` });
  assert.equal([got.path, got.text], [decomposed, 'one']);
  assert.is((await backend.get({ target: both.normalize('NFC') })).text, 'composed');
  assert.is((await backend.get({ target: both.normalize('NFD') })).text, 'decomposed');
});

test('an absolute path may lead through a link to the workspace', async () => {
  const { path } = folderOf({ 'real/notes/a.md': 'alpha' });
  symlinkSync('real', join(path, 'link'));
  const workspace = join(path, 'link/notes');
  const backend = backendOn(targetOf(workspace));
  for (const folder of [workspace, join(path, 'real/notes')]) {
    const got = await backend.get({ target: `${folder}/a.md#L1` });
    assert.equal([got.path, got.text], ['a.md', 'alpha']);
  }
});

test('an absolute path may be typed in another case where the system ignores it', async () => {
  const folder = folderOf({ 'notes/Alpha.md': 'alpha' });
  const backend = backendOn(targetOf(folder.path));
  const typed = folder.at('notes/alpha.md');
  await withSamePath(typed, folder.at('notes/Alpha.md'), async () => {
    assert.is((await backend.get({ target: `${typed}#L1` })).path, 'notes/Alpha.md');
  });
});

test('the hint about a name that is not indexed has that of another folder, or else the nearest', async () => {
  const { path } = folderOf({ 'MEMORY.md': 'x', 'memory/plans.md': 'x', 'memory/old/tea.md': 'x' });
  const backend = backendOn(targetOf(path));
  const suggestedFor = async (target: string) => {
    const { hint = '' } = await failureOf(backend.get({ target }));
    return /, such as (.*?);/u.exec(hint)?.[1];
  };
  assert.is(await suggestedFor('tea.md#L1-L2'), 'memory/old/tea.md');
  assert.is(await suggestedFor('MEMRY.md'), 'MEMORY.md');
  assert.is(await suggestedFor('memory/plan.md'), 'memory/plans.md');
  assert.is(await suggestedFor('memory/groceries.md'), undefined);
});

test('a document is found by its path without reading the other documents', async () => {
  const target = targetOf(folderOf({ 'a.md': 'alpha', 'b.md': 'beta' }).path);
  await backendOn(target).sync({});
  const index = openReadyIndex(target.indexFile, 'read');
  const asked: number[] = [];
  const counting = {
    documents: async (paths?: readonly string[]) => {
      const documents = await index.documents(paths);
      asked.push(documents.length);
      return documents;
    },
  };
  const lookUp = (name: string) =>
    lookUpIndexed(counting, target.sources.memory.workspaceDir, name);
  assert.equal((await lookUp('./b.md#L1'))?.document.path, 'b.md');
  assert.equal(asked, [1]);
  assert.is(await lookUp('c.md'), undefined);
  assert.equal(asked, [1, 0]);
  // It may be in another form of Unicode.
  assert.is(await lookUp('é.md'), undefined);
  assert.equal(asked, [1, 0, 0, 2]);
  index.close();
});

test('a document of another host is found without the names of all others', async () => {
  const asked: (readonly string[] | undefined)[] = [];
  const others = {
    documents: async (names?: readonly string[]) => {
      asked.push(names);
      return [theirDocument('markdown', 'memory')];
    },
  };
  const found = await lookUpOther(others, 'there:a.md#L2-L3');
  assert.equal([found?.document.path, found?.range], ['a.md', { startLine: 2, endLine: 3 }]);
  assert.equal(asked, [['there:a.md#L2-L3', 'there:a.md']]);
});

function theirDocument(kind: DocumentKind, source: 'memory' | 'sessions') {
  const fingerprint = { size: 1, mtimeMs: 1, ctimeMs: 1 };
  return { origin: 'there', source, path: 'a.md', kind, fingerprint, hash: '', indexedMs: 1 };
}

/** The part of another host's document with this text that this host can read. */
async function readTheirs(kind: DocumentKind, source: 'memory' | 'sessions', text: string) {
  const endLine = text.split('\n').length;
  const chunks: readonly Chunk[] = [{ startLine: 1, endLine, headingPath: [], text }];
  const document = theirDocument(kind, source);
  return readShared({ chunksOf: async () => chunks }, { document }, { target: 'a.md' });
}

test('a long line of another host is cut, and ends with an ellipsis', async () => {
  const { text, endLine, truncated } = await readTheirs('markdown', 'memory', 'x'.repeat(300_000));
  assert.equal([text.length, text.at(-1), endLine, truncated], [200_000, '…', 1, true]);
});

test('long lines of another host are returned as far as they fit', async () => {
  const line = 'x'.repeat(90_000);
  const part = await readTheirs('markdown', 'memory', [line, line, line].join('\n'));
  assert.equal([part.text.length, part.endLine, part.truncated], [180_001, 2, true]);
});

test('turns of another host are returned as far as they fit', async () => {
  const turn = `**User:** ${'x'.repeat(90_000)}`;
  const part = await readTheirs('transcript', 'sessions', [turn, turn, turn].join('\n'));
  assert.equal([part.turns?.length, part.endLine, part.truncated], [2, 2, true]);
});

test('a short document of another host is returned as a whole', async () => {
  const part = await readTheirs('markdown', 'memory', 'one\ntwo');
  assert.equal([part.text, part.endLine, part.truncated], ['one\ntwo', 2, false]);
});

test.run();
