import * as z from 'zod';

/*
 * What the tools take and give (facts §5.13). Full zod, because the protocol's SDK makes JSON Schemas
 * through it and brings it along; nothing but the server loads either.
 */

const line = z.int().min(1);
const score = z.number().min(0).max(1);
const source = z.enum(['memory', 'sessions']);

const warnings = z
  .array(z.strictObject({ code: z.string(), message: z.string(), hint: z.string().optional() }))
  .describe('What the answer should be taken with; empty when there is nothing to say');

const disabled = z
  .boolean()
  .optional()
  .describe('True when this conversation may not use memory; warnings say why');

/** `memory_search`: what is asked. */
export const searchInput = z.strictObject({
  query: z
    .string()
    .describe(
      'A question, or words, in any order and form. "quoted words" must stand together, -word must not occur, word* matches beginnings.',
    ),
  maxResults: z.int().min(1).max(100).optional().describe('How many results at most'),
  minScore: score.optional().describe('Leave out results that score lower, 0 to 1'),
  corpus: z
    .enum(['memory', 'sessions', 'all'])
    .optional()
    .describe('Notes, past conversations, or all that is indexed (the default)'),
  path: z
    .string()
    .optional()
    .describe('Only files whose path matches this glob, like memory/2026-*.md'),
});

/** `memory_search`: what is answered. */
export const searchResult = z.strictObject({
  results: z
    .array(
      z.strictObject({
        path: z.string().describe('What memory_get takes'),
        startLine: line,
        endLine: line,
        score: score.describe('Comparable between questions'),
        snippet: z.string(),
        source,
        kind: z
          .enum(['markdown', 'media', 'transcript'])
          .describe('A note, an image or a recording, a conversation'),
        mimeType: z.string().optional().describe('Of an image or a recording'),
        headingPath: z.array(z.string()).describe('Headings above the passage, outermost first'),
        citation: z.string().optional().describe('path#L3-L5, for memory_get and for quoting'),
        textScore: score.optional(),
        vectorScore: score.optional(),
      }),
    )
    .describe('Best first'),
  mode: z.enum(['hybrid', 'lexical', 'vector']).describe('How they were found'),
  provider: z.string().nullable().describe('Who embedded the question; null when nobody did'),
  model: z.string().nullable(),
  fallback: z
    .strictObject({ from: z.string(), reason: z.string() })
    .optional()
    .describe('Set when the provider failed and its fallback embedded instead'),
  citations: z.enum(['auto', 'on', 'off']).describe('How memory.citations is set'),
  disabled,
  warnings,
  debug: z.strictObject({
    backend: z.enum(['builtin', 'ext']),
    configuredMode: z.enum(['hybrid', 'lexical', 'vector']),
    effectiveMode: z.enum(['hybrid', 'lexical', 'vector']),
    searchMs: z.number(),
    hits: z.int().min(0).describe('Passages that hold any of the words'),
    belowMinScore: z.int().min(0),
  }),
});

/** `memory_get`: what is asked. */
export const getInput = z.strictObject({
  path: z.string().describe('A path or a citation (path#L3-L5) from memory_search'),
  from: line.optional().describe('First line, counted from 1'),
  lines: line.optional().describe('How many lines; 120 when left out'),
});

/** `memory_get`: what is answered. */
export const getResult = z.strictObject({
  path: z.string(),
  source: source.optional(),
  text: z.string(),
  from: line,
  lines: z.int().min(0).describe('How many lines the text has'),
  totalLines: z.int().min(0).describe('Of the file'),
  truncated: z.boolean().describe('True when there is more than was given'),
  nextFrom: line.optional().describe('Where to go on reading'),
  citation: z.string().optional(),
  disabled,
  warnings,
});

export type SearchInput = Readonly<z.infer<typeof searchInput>>;
export type SearchAnswer = Readonly<z.infer<typeof searchResult>>;
export type GetInput = Readonly<z.infer<typeof getInput>>;
export type GetAnswer = Readonly<z.infer<typeof getResult>>;
