import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { estimateTokens } from '../../../../src/engine/memory/chunking/tokens.js';
import { textLines } from '../../../../src/engine/memory/sources/text-lines.js';
import type { Chunk } from '../../../../src/engine/memory/types.js';
import { chunkMarkdown, isWellFormed, markdownLines } from '../../../support/markdown.js';

const test = suite('chunks of Markdown');

const options = fc
  .record({
    tokens: fc.integer({ min: 8, max: 200 }),
    share: fc.double({ min: 0, max: 0.9, noNaN: true }),
  })
  .map(({ tokens, share }) => ({ tokens, overlap: Math.floor(tokens * share) }));

/** Runs a check on the chunks of any text. */
function forAnyText(
  check: (
    chunks: readonly Chunk[],
    lines: readonly string[],
    limits: { readonly tokens: number; readonly overlap: number },
  ) => void,
): void {
  fc.assert(
    fc.property(markdownLines, options, (lines, limits) =>
      check(chunkMarkdown(textLines(lines.join('\n')), limits), lines, limits),
    ),
    { numRuns: 300 },
  );
}

const tokensOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + estimateTokens(line) + 0.25, 0);

test('every line that is not blank is in a chunk that carries its number', () => {
  forAnyText((chunks, lines) => {
    for (const [index, line] of lines.entries()) {
      if (line.trim() === '') continue;
      const number = index + 1;
      const holders = chunks.filter((c) => c.startLine <= number && number <= c.endLine);
      assert.ok(holders.length > 0, `line ${number} is in no chunk`);
      const whole = holders.some((c) => c.text.split('\n')[number - c.startLine] === line);
      const pieces = holders.filter((c) => c.startLine === number && c.endLine === number);
      assert.ok(
        whole ||
          line.includes(
            pieces
              .map((c) => c.text)
              .join('')
              .slice(0, 8),
          ),
      );
    }
  });
});

test('the pieces of a line over budget make up that line', () => {
  const line = `${'word '.repeat(3000)}end`;
  const chunks = chunkMarkdown(textLines(line), { tokens: 100, overlap: 20 });
  assert.ok(chunks.length > 20);
  assert.is(chunks.map((chunk) => chunk.text).join(''), line);
});

test('a file embedded in a line, such as a Base64 image, is in no chunk', () => {
  const image = `[image1]: <data:image/png;base64,${'iVBORw0KGgo+/'.repeat(10_000)}>`;
  const text = `# Trip\n\nThe harbour: ![][image1]\n\n${image}\n\nAfter it.\n`;
  const chunks = chunkMarkdown(textLines(text), { tokens: 100, overlap: 20 });
  assert.ok(chunks.length <= 3);
  assert.match(
    chunks.map((chunk) => chunk.text).join('\n'),
    /harbour[\s\S]*image1\]: <\n[\s\S]*After it/,
  );
});

test('a chunk is exactly the lines that it names, or a part of one', () => {
  forAnyText((chunks, lines) => {
    for (const { startLine, endLine, text } of chunks) {
      const named = lines.slice(startLine - 1, endLine).join('\n');
      assert.ok(named === text || (startLine === endLine && named.includes(text)));
    }
  });
});

test('chunks follow the order of the lines and always go on', () => {
  forAnyText((chunks) => {
    for (const [index, chunk] of chunks.entries()) {
      const before = chunks[index - 1];
      if (before === undefined) continue;
      assert.ok(chunk.startLine >= before.startLine);
      assert.ok(chunk.endLine >= before.endLine);
    }
  });
});

test('no chunk is over its budget', () => {
  forAnyText((chunks, _, { tokens }) => {
    for (const chunk of chunks) {
      const blank = chunk.text.split('\n').filter((line) => line.trim() !== '');
      assert.ok(tokensOf(blank) <= tokens + 1, `${tokensOf(blank)} of ${tokens}`);
    }
  });
});

test('no chunk is blank: providers refuse a request with an empty text', () => {
  forAnyText((chunks) => {
    for (const { text } of chunks) assert.is.not(text.trim(), '');
  });
  const limits = { tokens: 100, overlap: 0 };
  const textsOf = (text: string): readonly string[] =>
    chunkMarkdown(textLines(text), limits).map((chunk) => chunk.text);
  // The blank line fits neither before nor after it.
  const [long, other] = ['x'.repeat(399), 'y'.repeat(399)];
  const code = ['```', long, '', other, '```'].join('\n');
  assert.equal(textsOf(code), ['```', long, other, '```']);
  // A no-break space, as in notes of other editors.
  assert.equal(textsOf('\u00a0\n'), []);
  assert.equal(textsOf('a\n\n\u00a0\n'), ['a\n\n\u00a0']);
});

test('a chunk repeats no more of the one before it than the overlap', () => {
  forAnyText((chunks, lines, { overlap }) => {
    for (const [index, chunk] of chunks.entries()) {
      const before = chunks[index - 1];
      if (before === undefined || before.endLine < chunk.startLine) continue;
      if (chunk.startLine === chunk.endLine && before.endLine === chunk.startLine) continue;
      const repeated = lines.slice(chunk.startLine - 1, before.endLine);
      const text = repeated.filter((line) => line.trim() !== '');
      assert.ok(tokensOf(text) <= overlap + 0.01, `${tokensOf(text)} of ${overlap}`);
    }
  });
});

test('every chunk has a line that the one before it does not have', () => {
  forAnyText((chunks, lines) => {
    for (const [index, chunk] of chunks.entries()) {
      const before = chunks[index - 1];
      // The pieces of a long line share its number.
      const isPiece = chunk.text !== lines.slice(chunk.startLine - 1, chunk.endLine).join('\n');
      assert.ok(before === undefined || isPiece || chunk.endLine > before.endLine);
    }
  });
});

test('the overlap leaves room for the paragraph that follows it', () => {
  const items = Array.from(
    { length: 12 },
    (_, at) => `- item ${at + 1} ${'of the list '.repeat(5)}`,
  );
  const text = [...items, '', 'paragraph '.repeat(150)].join('\n');
  const chunks = chunkMarkdown(textLines(text), { tokens: 400, overlap: 80 });
  assert.equal(
    chunks.map(({ startLine, endLine }) => [startLine, endLine]),
    [
      [1, 12],
      [12, 14],
    ],
  );
});

test('a fence, table, list item or front matter that fits stays whole', () => {
  const blocks = [
    ['```js', 'const a = 1;', '', '# no heading', 'const b = 2;', '```'],
    ['| key | value |', '|---|---|', '| a | 1 |', '| b | 2 |'],
    ['- item one', '  goes on here', '', '  and after a blank line'],
    ['~~~', '| not | a table |', '- not an item', '~~~'],
  ];
  const filler = fc.array(fc.lorem({ maxCount: 12 }), { maxLength: 12 });
  fc.assert(
    fc.property(fc.constantFrom(...blocks), filler, filler, (block, before, after) => {
      const lines = ['---', 'title: note', '---', '', ...before, '', ...block, '', ...after];
      const chunks = chunkMarkdown(textLines(lines.join('\n')), { tokens: 60, overlap: 12 });
      assert.ok(chunks.some((chunk) => chunk.text.includes(block.join('\n'))));
      assert.ok(chunks[0]?.text.startsWith('---\ntitle: note\n---'));
    }),
  );
});

/** A paragraph that fills most of the budget used below, so that every section is a chunk. */
const BODY = 'words that fill a paragraph '.repeat(10).trim();

test('a chunk that begins with front matter has the heading path of what follows it', () => {
  const lines = ['---', 'tags: [park]', '---', '', '# Sunday', '', '## Birds', '', 'A heron.'];
  const paths = (text: readonly string[]) =>
    chunkMarkdown(textLines(text.join('\n')), { tokens: 90, overlap: 10 }).map(
      ({ headingPath }) => headingPath,
    );
  assert.equal(paths(lines), [['Sunday', 'Birds']]);
  assert.equal(paths(['---', 'tags: [park]', '---', '', 'No heading.']), [[]]);
  assert.equal(paths(['Intro.', '', '# Sunday', '', 'A heron.']), [[]]);
  const rule = ['# Sunday', '', 'A heron.', '', '---', '', 'A crane.'];
  assert.equal(paths(['---', 'tags: [park]', '...', ...rule]), [['Sunday']]);
  const long = ['---', ...Array.from({ length: 500 }, () => 'Text.'), '', BODY, '', ...rule];
  assert.equal(paths(long).at(-1), ['Sunday']);
});

test('a heading stays with what follows it and stands in the heading path', () => {
  const lines = ['# Guide', '', BODY, '', '## Install *now*', '', '### On [Linux](x)', '', BODY];
  const chunks = chunkMarkdown(textLines(lines.join('\n')), { tokens: 90, overlap: 10 });
  assert.equal(
    chunks.map(({ startLine, endLine, headingPath }) => ({ startLine, endLine, headingPath })),
    [
      { startLine: 1, endLine: 3, headingPath: ['Guide'] },
      { startLine: 5, endLine: 9, headingPath: ['Guide', 'Install now', 'On Linux'] },
    ],
  );
});

test('a heading inside a code fence is no heading', () => {
  const chunks = chunkMarkdown(textLines(['# Real', '', '```sh', '# comment', '```'].join('\n')), {
    tokens: 400,
    overlap: 0,
  });
  assert.equal(
    chunks.map((chunk) => chunk.headingPath),
    [['Real']],
  );
});

test('headings are found after inline code, and after code that is not closed in a list item', () => {
  const code = [
    ['```npm ci``` installs it.'],
    ['- x', '', '    ```sh', '    code', ''],
    ['````', '```', '````'],
  ];
  for (const lines of code) {
    const all = ['# A', BODY, '', ...lines, '# B', BODY, '# C', BODY];
    const chunks = chunkMarkdown(textLines(all.join('\n')), { tokens: 90, overlap: 10 });
    const paths = chunks.flatMap(({ headingPath }) => headingPath);
    assert.ok(paths.includes('B') && paths.includes('C'), lines.join('\n'));
  }
});

test('underlined headings count', () => {
  const chunks = chunkMarkdown(
    textLines(['Title', '=====', BODY, '', 'Part', '----', BODY].join('\n')),
    {
      tokens: 90,
      overlap: 10,
    },
  );
  assert.equal(
    chunks.map((chunk) => chunk.headingPath),
    [['Title'], ['Title', 'Part']],
  );
});

test('a run of CJK characters or emoji is cut by what it costs, never inside a character', () => {
  for (const character of ['記', '🎉']) {
    const chunks = chunkMarkdown(textLines(character.repeat(1000)), { tokens: 100, overlap: 20 });
    assert.ok(chunks.length >= 10);
    for (const { text } of chunks) assert.ok(isWellFormed(text));
  }
});

test('chunks repeat only the beginning of a very long heading', () => {
  const heading = `Notes ${'of the year '.repeat(1000)}`;
  const lines = textLines(`# ${heading}\n\n${'One paragraph.\n\n'.repeat(100)}`);
  const chunks = chunkMarkdown(lines, { tokens: 50, overlap: 0 });
  assert.ok(chunks.some(({ text }) => text.includes('Notes of the year')));
  const paths = new Set(chunks.map(({ headingPath }) => headingPath.join()));
  assert.equal([...paths], [heading.slice(0, 300)]);
});

test('a line can have more chunks than a call can have arguments', () => {
  const lines = textLines('abcd efgh '.repeat(1_000_000));
  const chunks = chunkMarkdown(lines, { tokens: 16, overlap: 0 });
  assert.ok(chunks.length > 150_000, String(chunks.length));
});

test('50 MB in one line are cut in seconds, with spaces or without', () => {
  for (const text of ['0123456789 abcdefghij ', '0123456789-abcdefghij-']) {
    const chunks = chunkMarkdown(textLines(text.repeat(2_400_000)), { tokens: 400, overlap: 80 });
    assert.ok(chunks.length > 30_000);
    assert.ok(chunks.every((chunk) => chunk.startLine === 1 && chunk.endLine === 1));
  }
});

test.run();
