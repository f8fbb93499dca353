import fc from 'fast-check';
import { chunkDocument } from '../../src/engine/memory/chunking/chunk-document.js';
import type { ChunkingOptions } from '../../src/engine/memory/chunking/chunk-markdown.js';
import type { TextLines } from '../../src/engine/memory/sources/text-lines.js';
import type { Chunk } from '../../src/engine/memory/types.js';
import { codePoint } from './code-point.js';

const LINE = fc.oneof(
  { weight: 4, arbitrary: fc.lorem({ maxCount: 30 }) },
  fc.constantFrom(
    '',
    '   ',
    '```',
    '~~~~',
    '```js',
    '---',
    '+++',
    '===',
    '# One',
    '## Two `code` [link](x)',
    '###### Six',
    '#no heading',
    '- item',
    '  continued',
    '12) item',
    '| a | b |',
    '|---|---|',
    'a | b',
    '    indented',
    '> quote',
    '<div>',
    '記憶は検索できる。'.repeat(6),
    '🎉👩‍👩‍👧 emoji',
    '\u2028',
    '\u00a0',
  ),
  fc.string({ unit: codePoint, maxLength: 80 }),
  fc.lorem({ maxCount: 400 }).map((text) => text.replaceAll('.', '')),
);

/** Whether there is no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** Lines of text that looks like Markdown, well-formed or not; without NUL, which reading takes out. */
export const markdownLines = fc.array(
  LINE.map((line) => line.replaceAll(/[\n\r\0]/g, ' ')),
  { minLength: 1, maxLength: 60 },
);

/** Any text at all: with lone surrogates, NUL, operators, quotes and long runs. */
export const anyText = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 60 }),
  fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        ...['"', '""', '-', '-"', '*', 'AND', 'OR', 'NOT', 'NEAR(', 'NEAR/2', ')', '(', '^', ':'],
        ...['text:', '{', '}', '+', "'", '--', ';', '\0', ' ', '\\', '%', '_', '.', ',', '?', '!'],
        ...['word', 'word*', '-word', '"a phrase"', '-"a phrase"', 'é', 'ß', 'İ', '記憶', '検'],
        ...[
          '한국어',
          'カタ',
          '🎉',
          '👩‍👩‍👧',
          '\ud800',
          '\u0301',
          '\ue000',
          '①',
          '𝒳',
          'ﷺ',
          '٣',
          '#',
          '@',
        ],
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
);

/** The chunks of a note. */
export function chunkMarkdown(lines: TextLines, options: ChunkingOptions): readonly Chunk[] {
  return chunkDocument({ path: 'a.md', kind: 'markdown' }, lines, options);
}
