import * as z from 'zod';
import type { DeepReadonly } from '../../errors/output-schema.js';
import { atMost, nonEmpty } from '../../support/lengths.js';

/*
 * Input and output of the tools (facts §5.13). Full zod, which the protocol's SDK needs for JSON
 * Schema; only the server loads it.
 */

const line = z.int().min(1);
/** Longer than any file system allows. */
const MAX_PATH = 4096;
function pathText(message: string) {
  return z
    .string()
    .check(atMost(MAX_PATH))
    .refine((text) => text.trim() !== '', message);
}
const optionalPath = pathText('must not be empty; omit it or pass a path').optional();
const filterText = z.string().check(nonEmpty(), atMost(500));
const score = z.number().min(0).max(1);
const source = z.enum(['memory', 'sessions']);

const warnings = z
  .array(z.strictObject({ code: z.string(), message: z.string(), hint: z.string().optional() }))
  .describe('Problems that affected the answer; may be empty');

const corpus = z
  .enum(['memory', 'sessions', 'all'])
  .optional()
  .describe('Notes, past conversations, or everything (the default)');

const pathOrCitation = pathText('must not be empty').describe(
  'A path or a citation (path#L3-L5) of a result',
);

const disabled = z
  .boolean()
  .optional()
  .describe('True if this session cannot use memory; see warnings');

export const searchInput = z.strictObject({
  query: z
    .string()
    .describe(
      'A question or keywords, in any order and form. "quoted words" must occur together, -word must not occur, word* matches prefixes.',
    ),
  maxResults: z.int().min(1).max(100).optional().describe('Maximum number of results'),
  minScore: score.optional().describe('Omit results with a lower score, 0 to 1'),
  corpus,
  exact: z
    .boolean()
    .optional()
    .describe('Search for the words as typed, without corrections of words without a match'),
  path: optionalPath.describe('Only files whose path matches this glob, like memory/2026-*.md'),
  since: filterText
    .optional()
    .describe(
      'Only notes from this date on: a date such as 2026-02-03, "last week", or a duration such as 7d',
    ),
  before: filterText.optional().describe('Only notes from before this date'),
  on: filterText.optional().describe('Only notes of this day or period'),
  where: z
    .array(filterText)
    .check(atMost(20))
    .optional()
    .describe(
      'Conditions about front matter, all of which must be met: key=value, key>value or key<value',
    ),
  tags: z
    .array(filterText)
    .check(atMost(20))
    .optional()
    .describe('Only notes with all of these tags'),
  heading: filterText.optional().describe('Only passages under a heading that contains this text'),
  kinds: z
    .array(filterText)
    .check(atMost(20))
    .optional()
    .describe(
      'Only these kinds of documents: markdown, transcript, pdf, docx, html, image or audio',
    ),
  debug: z
    .boolean()
    .optional()
    .describe('Include search details and separate keyword and vector scores'),
});

export const searchResult = z.strictObject({
  results: z
    .array(
      z.strictObject({
        path: z.string().describe('Path of the file'),
        startLine: line,
        endLine: line,
        score: score.describe('Comparable between queries'),
        snippet: z.string(),
        source,
        kind: z
          .enum(['markdown', 'text', 'extracted', 'media', 'transcript'])
          .describe(
            'A note, another document (text: as it is, extracted: from PDF, Word or HTML), an image or recording, or a conversation',
          ),
        mimeType: z.string().optional().describe('Of an image or recording'),
        headingPath: z.array(z.string()).describe('Headings above the best line, outermost first'),
        citation: z.string().optional().describe('path#L3-L5, for quoting and for reading more'),
        similarCount: z
          .int()
          .min(1)
          .optional()
          .describe('Number of other passages that say the same and are not results'),
        similar: z
          .array(
            z.strictObject({
              path: z.string(),
              startLine: line,
              endLine: line,
              citation: z.string().optional(),
            }),
          )
          .optional()
          .describe('The best ten of them'),
        textScore: score.optional().describe('Only with debug'),
        vectorScore: score.optional().describe('Only with debug'),
        rerankScore: z.number().optional().describe('Only with debug'),
      }),
    )
    .describe('Best first'),
  corrections: z
    .array(
      z.strictObject({
        word: z.string(),
        instead: z.array(z.string()),
        kind: z.enum(['spelling', 'compound', 'prefix']),
      }),
    )
    .optional()
    .describe('Words of the query without a match, and what was searched instead'),
  dates: z
    .strictObject({ from: z.string(), to: z.string() })
    .optional()
    .describe('How a date in the query was understood'),
  filters: z
    .strictObject({
      from: z.string().nullable().optional(),
      to: z.string().nullable().optional(),
      where: z.array(z.string()).optional(),
      tags: z.array(z.string()).optional(),
      heading: z.string().optional(),
      kinds: z.array(z.string()).optional(),
    })
    .optional()
    .describe('How filters were understood; dates are inclusive'),
  mode: z.enum(['hybrid', 'lexical', 'vector']).describe('How the results were found'),
  provider: z.string().nullable().describe('Provider that embedded the query; null if none'),
  model: z.string().nullable(),
  fallback: z
    .strictObject({ from: z.string(), reason: z.string() })
    .optional()
    .describe('Set if the provider failed and its fallback was used'),
  citations: z.enum(['auto', 'on', 'off']).describe('The setting memory.citations'),
  disabled,
  warnings,
  debug: z
    .strictObject({
      backend: z.enum(['builtin', 'ext']),
      configuredMode: z.enum(['hybrid', 'lexical', 'vector']),
      effectiveMode: z.enum(['hybrid', 'lexical', 'vector']),
      searchMs: z.number(),
      hits: z.int().min(0).describe('Passages containing any of the words'),
      belowMinScore: z.int().min(0),
    })
    .optional()
    .describe('Only if requested'),
});

export const getInput = z.strictObject({
  path: pathOrCitation,
  from: line.optional().describe('First line, counted from 1'),
  lines: line.optional().describe('Number of lines; 120 by default'),
});

export const getResult = z.strictObject({
  path: z.string(),
  source: source.optional(),
  text: z.string(),
  from: line,
  lines: z.int().min(0).describe('Number of lines in text'),
  totalLines: z.int().min(0).describe('Lines of the file'),
  truncated: z.boolean().describe('True if there is more text'),
  nextFrom: line.optional().describe('Line to continue from'),
  citation: z.string().optional(),
  disabled,
  warnings,
});

/** More than an agent should add at once. */
const MOST_CHARACTERS = 8000;

export const addInput = z.strictObject({
  text: z
    .string()
    .check(atMost(MOST_CHARACTERS))
    .describe('What to remember, complete and understandable on its own; one line if possible'),
  file: optionalPath.describe('today (the default), MEMORY.md, or a path like memory/projects.md'),
  heading: z
    .string()
    .check(atMost(200))
    .optional()
    .describe('Section to add to, created if it is missing'),
  tags: z
    .array(z.string().check(atMost(100)))
    .check(atMost(20))
    .optional()
    .describe('Tags of the line, without #'),
});

export const addResult = z.strictObject({
  outcome: z.enum(['added', 'known', 'refused']).describe('known: the file already has it'),
  id: z.string().nullable().describe('For the user, to take it back with svc memory undo'),
  citation: z.string().optional().describe('Where it is'),
  disabled,
  warnings,
});

export const recentInput = z.strictObject({
  since: filterText
    .optional()
    .describe(
      'Only changes since a date such as 2026-02-03, "last week", or a duration such as 7d',
    ),
  corpus,
  limit: z.int().min(1).max(200).optional().describe('Maximum number of files; 20 by default'),
});

export const recentResult = z.strictObject({
  files: z
    .array(
      z.strictObject({
        path: z.string().describe('Path for memory_get'),
        source,
        modified: z.string(),
        bytes: z.int().min(0),
      }),
    )
    .describe('Newest first'),
  more: z.int().min(0).describe('Number of other files'),
  disabled,
  warnings,
});

export const linksInput = z.strictObject({ path: pathOrCitation });

const noteLink = z.strictObject({ path: z.string(), line, heading: z.string().optional() });

export const linksResult = z.strictObject({
  path: z.string(),
  out: z.array(noteLink).describe('The notes that it links to, with the line of the link'),
  back: z.array(noteLink).describe('The notes that link to it, with their line'),
  broken: z
    .array(z.strictObject({ target: z.string(), line }))
    .describe('Its links that lead to no note'),
  more: z.int().min(0).describe('Number of other links'),
  disabled,
  warnings,
});

export type RecentInput = Readonly<z.infer<typeof recentInput>>;
export type RecentAnswer = Readonly<z.infer<typeof recentResult>>;
export type LinksInput = Readonly<z.infer<typeof linksInput>>;
export type LinksAnswer = Readonly<z.infer<typeof linksResult>>;
export type AddInput = Readonly<z.infer<typeof addInput>>;
export type AddAnswer = Readonly<z.infer<typeof addResult>>;
export type SearchInput = Readonly<z.infer<typeof searchInput>>;
export type SearchAnswer = DeepReadonly<z.infer<typeof searchResult>>;
export type GetInput = Readonly<z.infer<typeof getInput>>;
export type GetAnswer = DeepReadonly<z.infer<typeof getResult>>;
