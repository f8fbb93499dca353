import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderImport } from '../../../src/ui/memory/transfer.js';

const test = suite('what an import prints');

test('notes that are not indexed are not all outside', () => {
  const result = { written: ['a.md', 'b.pdf'], replaced: [], kept: [], same: 0, vectors: 0 };
  assert.is(renderImport({ ...result, notIndexed: 0 }, 0), 'imported 2 notes\n');
  assert.is(
    renderImport({ ...result, notIndexed: 1 }, 0),
    'imported 2 notes\n1 note not indexed; svc memory status --why PATH explains why\n',
  );
});

test.run();
