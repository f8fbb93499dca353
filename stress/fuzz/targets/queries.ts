import fc from 'fast-check';
import * as z from 'zod/mini';
import type { Tokenizer } from '../../../src/engine/memory/index/identity.js';
import type { SearchResult } from '../../../src/engine/memory/search/types.js';
import { anyText } from '../../../test/support/markdown.js';
import { backendOn, targetOf } from '../../../test/support/memory.js';
import { folderOf } from '../../../test/support/temp-folder.js';
import { TALK, transcriptPlace } from '../../../test/support/transcripts.js';
import { cpuMs } from '../cpu-time.js';
import {
  type FuzzText,
  mangleText,
  repeatedText,
  textEdits,
  textOf,
  textSchema,
} from '../mangle.js';
import { type OpenTarget, openTarget } from '../target.js';

const inputSchema = z.object({ query: textSchema, maxResults: z.number(), minScore: z.number() });

const NOTES = {
  'MEMORY.md': '# Memory\n\nThe nightly backup runs at 02:30. Ana owns it.\n',
  'memory/2026-02-03.md':
    '# Harbour\n\nThe crane of the harbour office is red — “very” red, über alles.\n',
  'memory/cjk.md': '記憶は検索できる。カタカナもひらがなも。\n\n한국어로 쓴 기억.\n',
  'memory/code.md':
    '```sql\nSELECT * FROM chunks WHERE text MATCH \'"a" NEAR(b, 2)\';\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  'memory/odd.md': '🦊👩‍👩‍👧 e\u0301 ﷺ İstanbul ß \u2028 \ue000 ①②③ 𝒳 1,000.50 a_b-c/d:e@f\n',
};

const PIECE = fc.constantFrom(
  ...[
    '"',
    '""',
    '-',
    '-"',
    '*',
    ' AND ',
    ' OR ',
    ' NOT ',
    'NEAR(',
    ')',
    '(',
    '^',
    ':',
    'text:',
    '{text}',
  ],
  ...[
    '\0',
    "'",
    ';',
    '--',
    '\\',
    '%',
    '_',
    ' ',
    '\n',
    'backup',
    'Backup*',
    '-backup',
    '"nightly backup"',
  ],
  ...[
    'last May',
    'yesterday',
    '2026-02-03',
    'on 3 February',
    'vor 3 Tagen',
    '99999-99-99',
    'week 54 of 0',
  ],
  ...[
    'in the last 999999999 days',
    'May',
    '記憶',
    '検',
    'カタ',
    '기억',
    '🦊',
    '\ud800',
    '\u0301',
    'İ',
    'ß',
    'ﷺ',
    '①',
  ],
  ...['memory/cjk.md', 'MEMORY.md#L3', 'a', '.', '?', '!', '\u200b', '\u2028', '٣', '𝒳', 'e\u0301'],
);

const query: fc.Arbitrary<FuzzText> = fc.oneof(
  { weight: 3, arbitrary: anyText },
  { weight: 4, arbitrary: fc.array(PIECE, { maxLength: 14 }).map((parts) => parts.join('')) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...Object.values(NOTES)), textEdits(PIECE))
      .map(([note, edits]) => mangleText(note, edits)),
  },
  {
    weight: 1,
    arbitrary: repeatedText(
      fc.array(PIECE, { maxLength: 3 }).map((parts) => parts.join('')),
      30_000,
    ),
  },
);

const inputs = fc.record({
  query,
  maxResults: fc.integer({ min: 1, max: 60 }),
  minScore: fc.constantFrom(0, 0.35, 1),
});

const TOKENIZERS: readonly Tokenizer[] = ['unicode61', 'trigram'];
const LONGEST_MS = 3000;

/** Queries: any text gives results or none, and never an error. */
export async function openQueriesTarget(): Promise<OpenTarget> {
  const backends = TOKENIZERS.map((tokenizer) => {
    const sessions = folderOf({ 'talk.jsonl': TALK });
    const places = [transcriptPlace(sessions.path)];
    const growth = { deltaBytes: 1, deltaMessages: 1, postCompactionForce: true };
    const target = targetOf(folderOf(NOTES).path, {
      layout: 'agent',
      tokenizer,
      tokens: 40,
      overlap: 8,
      transcripts: { places, growth },
    });
    return backendOn(target, { syncOnSearch: false });
  });
  for (const backend of backends) await backend.sync({});
  return openTarget({
    inputs,
    schema: inputSchema,
    check: async ({ query: compact, maxResults, minScore }) => {
      const text = textOf(compact);
      for (const backend of backends) {
        const started = cpuMs();
        const { results } = await backend.search({ query: text, maxResults, minScore });
        const ms = cpuMs() - started;
        if (ms > LONGEST_MS) throw new Error(`${text.length} characters took ${ms} ms`);
        requireResults(results, { maxResults, minScore });
      }
    },
    close: async () => {
      for (const backend of backends) await backend.close();
    },
  });
}

function requireResults(
  results: readonly SearchResult[],
  { maxResults, minScore }: { readonly maxResults: number; readonly minScore: number },
): void {
  if (results.length > maxResults) throw new Error(`${results.length} of ${maxResults} results`);
  for (const { score, startLine, endLine } of results) {
    if (!(score >= minScore && score <= 1)) throw new Error(`score ${score}`);
    if (!(startLine >= 1 && endLine >= startLine)) throw new Error(`lines ${startLine}-${endLine}`);
  }
}
