import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderImport } from '../../../src/ui/memory/transfer.js';

const test = suite('output of an import');

const VIEW = { hintFor: String };

test('notes that are not indexed are not all outside', () => {
  const result = { written: ['a.md', 'b.pdf'], replaced: [], kept: [], same: 0, vectors: 0 };
  assert.is(renderImport({ ...result, notIndexed: 0 }, 0, undefined, VIEW), 'imported 2 notes\n');
  assert.is(
    renderImport({ ...result, notIndexed: 1 }, 0, undefined, VIEW),
    'imported 2 notes\n1 note not indexed; "svc memory status --why PATH" explains why\n',
  );
  // Another folder is no part of the memory, and nothing explains that better than how to search it.
  assert.match(
    renderImport({ ...result, notIndexed: 2 }, 0, "'/home/ada/my notes'", VIEW),
    '2 notes not indexed; search the folder with "svc memory search QUERY --workspace \'/home/ada/my notes\'"\n',
  );
});

test.run();
