import fc from 'fast-check';
import * as z from 'zod/mini';
import { claimKeyOf, stemsOf } from '../../../src/engine/dreaming/claims/claim-words.js';
import { junkReason } from '../../../src/engine/dreaming/claims/junk.js';
import {
  editMemory,
  handWritten,
  promotedEntries,
  undoEdits,
} from '../../../src/engine/dreaming/promotion/memory-file.js';
import { conceptTagsOf } from '../../../src/engine/dreaming/scoring/recall-entry.js';
import { withBlock } from '../../../src/engine/dreaming/sweep/reports.js';
import { redactSecrets } from '../../../src/engine/masking/index.js';
import {
  splitClaims,
  spokenClaims,
  turnClaims,
  turnParts,
} from '../../../src/engine/memory/chunking/split-claims.js';
import { lineAt, textLines, withoutOwnWriting } from '../../../src/engine/memory/sources/index.js';
import { chunkMarkdown, markdownLines } from '../../../test/support/markdown.js';
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

const inputSchema = z.object({
  text: textSchema,
  tokens: z.number(),
  /** Share of the tokens, 0 to 0.9. */
  share: z.number(),
  /** Text of a promoted claim, which can be anything. */
  claims: z.array(z.string()),
});
type CompactInput = z.infer<typeof inputSchema>;
interface Input extends Omit<CompactInput, 'text'> {
  readonly text: string;
}

const PROMOTION =
  '<!-- svc:memory-promotion:0123456789abcdef sweep=S1 from=memory/a.md#L1-L2 score=0.81 recalls=5 -->';
const DAY = '2026-11-20';
const PIECE = fc.constantFrom(
  ...[
    '\n',
    '\r\n',
    '\r',
    '\n\n',
    ' ',
    '\t',
    '#',
    '# ',
    '## ',
    '- ',
    '* ',
    '1. ',
    '> ',
    '```',
    '~~~',
  ],
  ...[
    '|',
    '| - |',
    '---',
    '+++',
    '`',
    '**',
    '_',
    '[x](',
    '[[',
    '<div>',
    '<',
    '<!--',
    '-->',
    '<!-- ',
  ],
  ...[PROMOTION, `${PROMOTION}\n- kept\n`, '<!-- svc:', '<!-- svc:memory-promotion:', '- [ ] '],
  ...[
    '<!-- svc:dreaming:light:start -->',
    '<!-- svc:dreaming:light:end -->',
    '## Promoted From Short-Term Memory',
  ],
  ...[
    `## Promoted From Short-Term Memory (${DAY})`,
    'Backups run at 02:30.',
    'é',
    '記憶',
    '🦊',
    '\u2028',
  ],
  ...[
    '\uFEFF',
    '\u0301',
    'a',
    'A. B',
    '。',
    '1',
    '"',
    "'",
    '(',
    '&lt;',
    'sk-',
    'api_key=',
    'https://',
    '@',
  ],
);

const text: fc.Arbitrary<FuzzText> = fc.oneof(
  { weight: 3, arbitrary: fc.array(PIECE, { maxLength: 40 }).map((parts) => parts.join('')) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(markdownLines, fc.constantFrom('\n', '\r\n'), textEdits(PIECE))
      .map(([lines, end, edits]) => mangleText(lines.join(end), edits)),
  },
  {
    weight: 1,
    arbitrary: repeatedText(
      fc.array(PIECE, { maxLength: 3 }).map((part) => part.join('')),
      150_000,
    ),
  },
);

const inputs: fc.Arbitrary<CompactInput> = fc.record({
  text,
  tokens: fc.integer({ min: 8, max: 500 }),
  share: fc.double({ min: 0, max: 0.9, noNaN: true }),
  claims: fc.array(
    fc.oneof(
      fc.array(PIECE, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
      fc.constantFrom('Backups run at 02:30.', 'Tea is green.', '$&', "$'"),
    ),
    { maxLength: 4 },
  ),
});

/** Time limit for a few pages; more means super-linear growth. */
const LONGEST_MS = 3000;

/** Markdown: chunks and claims cover the text, and dreaming's edits leave the rest unchanged. */
export async function openMarkdownTarget(): Promise<OpenTarget> {
  return openTarget({
    inputs,
    schema: inputSchema,
    check: (compact) => {
      const started = cpuMs();
      const input = { ...compact, text: textOf(compact.text) };
      checkChunks(input);
      checkClaims(input);
      checkPromotion(input);
      checkBlocks(input);
      const ms = cpuMs() - started;
      if (ms > LONGEST_MS) throw new Error(`${input.text.length} characters took ${ms} ms`);
    },
  });
}

function checkChunks({ text: raw, tokens, share }: Input): void {
  // Reading removes NUL.
  const lines = textLines(raw.replaceAll('\0', ' '));
  const chunks = chunkMarkdown(lines, { tokens, overlap: Math.floor(tokens * share) });
  const isCovered = new Array<boolean>(lines.count).fill(false);
  let before = { startLine: 0, endLine: 0 };
  for (const { startLine, endLine, text: body } of chunks) {
    if (startLine < before.startLine || endLine < before.endLine || endLine > lines.count)
      throw new Error(`chunk ${startLine}-${endLine} after ${before.startLine}-${before.endLine}`);
    before = { startLine, endLine };
    const coveredLines: string[] = [];
    for (let at = startLine - 1; at < endLine; at++) {
      coveredLines.push(lineAt(lines, at));
      isCovered[at] = true;
    }
    const whole = coveredLines.join('\n');
    if (whole !== body && !(startLine === endLine && whole.includes(body)))
      throw new Error(`chunk ${startLine}-${endLine} differs from its lines`);
  }
  const lost = isCovered.findIndex((covered, at) => !covered && lineAt(lines, at).trim() !== '');
  if (lost !== -1) throw new Error(`line ${lost + 1} is in no chunk`);
}

function checkClaims({ text: raw }: Input): void {
  const last = raw.split('\n').length;
  for (const { text: claim, startLine, endLine } of splitClaims(raw)) {
    if (claim.trim() === '' || claim.includes('\n'))
      throw new Error(`claim ${JSON.stringify(claim)}`);
    if (startLine < 1 || endLine < startLine || endLine > last)
      throw new Error(`a claim of lines ${startLine}-${endLine} of ${last}`);
    junkReason(claim);
    conceptTagsOf(claim);
    stemsOf(claim);
  }
  for (const part of turnParts(raw)) if (part === '') throw new Error('an empty part');
  turnClaims({ text: raw, line: 1 });
  spokenClaims(raw);
  redactSecrets(raw);
  const left = withoutOwnWriting(raw);
  if (left.split('\n').length !== last) throw new Error('lines were lost with svc blocks');
}

function checkPromotion({ text: raw, claims }: Input): void {
  const there = promotedEntries(raw).length;
  const edits = claims.map((claim) => {
    const lines = { startLine: 1, endLine: 1 };
    const entry = {
      key: claimKeyOf(claim),
      sweepId: 'S2',
      path: 'memory/a.md',
      lines,
      score: 0.5,
      recalls: 1,
    };
    return { kind: 'add', entry, text: claim } as const;
  });
  const { text: edited, operations } = editMemory(raw, edits, DAY);
  if (promotedEntries(edited).length !== there + claims.length)
    throw new Error(
      `${claims.length} entries added to ${there} are ${promotedEntries(edited).length}`,
    );
  const { text: undone, kept } = undoEdits(edited, operations);
  if (undone !== raw || kept.length > 0) throw new Error('undo did not restore the text');
  if (handWritten(raw).length > raw.length) throw new Error('more handwritten text than text');
}

function checkBlocks({ text: raw }: Input): void {
  const once = withBlock(raw, 'light', 'two');
  const twice = withBlock(withBlock(raw, 'light', 'one'), 'light', 'two');
  // A block uses the line ends of the text, which a lone carriage return makes ambiguous.
  if (twice.replaceAll('\r', '') !== once.replaceAll('\r', ''))
    throw new Error('rewriting a block changes the text around it');
}
