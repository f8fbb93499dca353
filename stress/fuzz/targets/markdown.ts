import fc from 'fast-check';
import * as z from 'zod/mini';
import { claimKeyOf, stemsOf } from '../../../src/engine/dreaming/claims/claim-words.js';
import { conceptTagsOf } from '../../../src/engine/dreaming/claims/concept-tags.js';
import { junkReason } from '../../../src/engine/dreaming/claims/junk.js';
import { splitClaims } from '../../../src/engine/dreaming/claims/split-claims.js';
import {
  spokenClaims,
  turnClaims,
  turnParts,
} from '../../../src/engine/dreaming/claims/split-turns.js';
import {
  editMemory,
  handWritten,
  promotedEntries,
  undoEdits,
} from '../../../src/engine/dreaming/promotion/memory-file.js';
import { withBlock } from '../../../src/engine/dreaming/reports/marked-block.js';
import { chunkMarkdown } from '../../../src/engine/memory/chunking/chunk-markdown.js';
import { withoutOwnWriting } from '../../../src/engine/memory/sources/own-writing.js';
import { lineAt, textLines } from '../../../src/engine/memory/sources/text-lines.js';
import { redactSecrets } from '../../../src/engine/secrets/mask/redact-secrets.js';
import { markdownLines } from '../../../test/support/markdown.js';
import { cpuMs } from '../cpu-time.js';
import { type FuzzText, mangledText, repeated, textEdits, textOf, textSchema } from '../mangle.js';
import { type OpenTarget, openTarget } from '../target.js';

const inputSchema = z.object({
  text: textSchema,
  tokens: z.number(),
  /** Of the tokens, 0 to 0.9. */
  share: z.number(),
  /** What a sweep found worth keeping; may hold anything. */
  claims: z.array(z.string()),
});
type Given = z.infer<typeof inputSchema>;
interface Input extends Omit<Given, 'text'> {
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
      .map(([lines, end, edits]) => mangledText(lines.join(end), edits)),
  },
  {
    weight: 1,
    arbitrary: repeated(
      fc.array(PIECE, { maxLength: 3 }).map((part) => part.join('')),
      150_000,
    ),
  },
);

const inputs: fc.Arbitrary<Given> = fc.record({
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

/** Nothing here is slow by itself: what takes longer than this for some pages grows faster than they do. */
const LONGEST_MS = 3000;

/** Markdown: its chunks and claims hold what it says, and dreaming's writing leaves it as it was. */
export async function openMarkdownTarget(): Promise<OpenTarget> {
  return openTarget({
    inputs,
    schema: inputSchema,
    check: (given) => {
      const started = cpuMs();
      const input = { ...given, text: textOf(given.text) };
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
  // Reading takes NUL out.
  const lines = textLines(raw.replaceAll('\0', ' '));
  const chunks = chunkMarkdown(lines, { tokens, overlap: Math.floor(tokens * share) });
  const isHeld = new Array<boolean>(lines.count).fill(false);
  let before = { startLine: 0, endLine: 0 };
  for (const { startLine, endLine, text: body } of chunks) {
    if (startLine < before.startLine || endLine < before.endLine || endLine > lines.count)
      throw new Error(`chunk ${startLine}-${endLine} after ${before.startLine}-${before.endLine}`);
    before = { startLine, endLine };
    const named: string[] = [];
    for (let at = startLine - 1; at < endLine; at++) {
      named.push(lineAt(lines, at));
      isHeld[at] = true;
    }
    const whole = named.join('\n');
    if (whole !== body && !(startLine === endLine && whole.includes(body)))
      throw new Error(`chunk ${startLine}-${endLine} is not what its lines say`);
  }
  const lost = isHeld.findIndex((held, at) => !held && lineAt(lines, at).trim() !== '');
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
  if (left.split('\n').length !== last) throw new Error('lines are lost with what svc wrote');
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
  if (undone !== raw || kept.length > 0) throw new Error('undone, it is not what it was');
  if (handWritten(raw).length > raw.length) throw new Error('more by hand than there is');
}

function checkBlocks({ text: raw }: Input): void {
  const once = withBlock(raw, 'light', 'two');
  const twice = withBlock(withBlock(raw, 'light', 'one'), 'light', 'two');
  // The lines of a block end as the others do, which a lone carriage return leaves open.
  if (twice.replaceAll('\r', '') !== once.replaceAll('\r', ''))
    throw new Error('a block written again changes what is beside it');
}
