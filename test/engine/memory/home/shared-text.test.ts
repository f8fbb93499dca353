import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TurnChunker } from '../../../../src/engine/memory/chunking/chunk-turns.js';
import { linesOfChunks, turnsOfChunks } from '../../../../src/engine/memory/home/index.js';
import { textLines } from '../../../../src/engine/memory/sources/index.js';
import { chunkMarkdown } from '../../../support/markdown.js';

const test = suite('text reassembled from chunks');

const SMALL = { tokens: 20, overlap: 8 };

test('a note is restored with overlaps once and long lines whole, without trailing blank lines', () => {
  const long = 'word '.repeat(60).trimEnd();
  const note = `# A\n\nOne line of the note.\nAnother line of it.\n\n${long}\n\n- a\n- b\n\n## B\n\nEnd.`;
  const chunks = chunkMarkdown(textLines(`${note}\n`), SMALL);
  assert.ok(chunks.length > 3);
  assert.is(linesOfChunks(chunks).text, note);
});

test('a conversation has each turn once, by its line', () => {
  const chunker = new TurnChunker<undefined>(SMALL);
  const said = ['short one', 'a longer answer '.repeat(40).trim(), 'thanks', 'you are welcome'];
  const chunks = said.flatMap((text, at) => {
    const role = at % 2 === 0 ? 'user' : 'assistant';
    return [...chunker.add({ role, text, at: undefined, line: 2 * at + 1, mark: undefined })];
  });
  const turns = turnsOfChunks([...chunks, ...chunker.tail()]);
  assert.equal(
    turns.map(({ line, role, text }) => [line, role, text]),
    [
      [1, 'user', said[0]],
      [3, 'assistant', said[1]],
      [5, 'user', said[2]],
      [7, 'assistant', said[3]],
    ],
  );
});

test.run();
