import * as z from 'zod/mini';
import {
  count,
  type DocumentOf,
  documentSchema,
  field,
  line,
  listField,
  listOf,
  objectOrNullField,
  optionalObjectField,
} from '../../errors/output-schema.js';
import { backendName, fileFields, origin, searchMode, workspace } from '../output-schemas.js';

const score = z.number().check(z.minimum(0), z.maximum(1));

const passage = {
  path: field.text('Relative to the workspace, with forward slashes.'),
  origin,
  startLine: field(line, 'First line of the passage, 1-based.'),
  endLine: field(line, 'Last line of the passage, included.'),
};
const citation = field.optionalText(
  '`path#L3-L5`, or `origin:path#L3-L5`; for a PDF its pages, `path#p3-p4`; omitted if `memory.citations` is `off`.',
);

/** `svc memory search --json`. */
export const searchOutputSchema = documentSchema({
  query: field.text('The query as given.'),
  agent: field.textOrNull('The searched agent; `null` with `--workspace`.'),
  workspace,
  backend: field(backendName, 'The backend that answered.'),
  mode: field(searchMode, '`lexical` (keywords), `vector`, or `hybrid` (both).'),
  provider: field.textOrNull('The provider that embedded the query; `null` in lexical search.'),
  model: field.textOrNull('Its model; `null` in lexical search.'),
  dates: objectOrNullField(
    'The date that the query asks about; `null` for none. See [search.md](search.md#dates).',
    {
      text: field.text('The date as written in the query.'),
      from: field(z.iso.date(), 'First day.'),
      to: field(z.iso.date(), 'Last day.'),
      passages: field.count('Passages that are from these days, or else speak of them.'),
    },
  ),
  results: listField('Empty without matches.', {
    ...passage,
    score: field(score, '0 to 1; see [search.md](search.md#scores).'),
    snippet: field.text('The passage, or its best lines with `…` between them.'),
    snippetLine: field(line, 'Line number of the start of the snippet.'),
    ...fileFields,
    mimeType: field.optionalText('Only for media; detected from the content.'),
    headingPath: field.texts(
      'The headings above its best line, outermost first; without a best line, those above all of the passage.',
    ),
    citation,
    similarCount: field(
      z.optional(count),
      'Passages that say the same, and so are not results; omitted if there are none.',
    ),
    similar: field(
      z.optional(
        listOf({
          ...passage,
          citation,
        }),
      ),
      'The best ten of them.',
    ),
    related: field(
      z.optional(
        listOf({
          path: field.text('Relative to the workspace.'),
          relation: field(
            z.enum(['both', 'linked_from', 'links']),
            'The file of the result links to it, is linked from it, or both.',
          ),
        }),
      ),
      'Only with `--related`: up to ten notes that the file is linked with.',
    ),
    textScore: field(
      z.optional(score),
      'Keyword score, 0 to 1; the whole score in lexical search. Omitted in vector search.',
    ),
    vectorScore: field(
      z.optional(score),
      'Vector score, 0 to 1; omitted for a passage without a vector.',
    ),
    rerankScore: field(
      z.optional(z.number()),
      'Score of the reranker, on the scale of its model; omitted for a passage that it did not score.',
    ),
    explanation: optionalObjectField(
      'Only with `--explain`; see [search.md](search.md#how-a-score-comes-about).',
      {
        textShare: field(score, 'Weight of the keyword score.'),
        vectorShare: field(score, 'Weight of the vector score.'),
        similarity: field(
          z.nullable(z.number()),
          'Cosine between passage and query; `null` for a passage without a vector.',
        ),
        decay: objectOrNullField('`null` without temporal decay.', {
          factor: field(score, 'Factor for age.'),
          ageDays: field(z.number(), 'Age in days.'),
        }),
        placeBeforeRerank: field(
          z.optional(line),
          'Rank before the reranker, 1-based; omitted for a passage that it did not score.',
        ),
        diversity: objectOrNullField('`null` without `query.hybrid.mmr`.', {
          placeBefore: field(line, 'Rank by score alone, 1-based.'),
          overlap: field(score, 'Largest word overlap with a result above it.'),
        }),
      },
    ),
  }),
  corrections: listField(
    'See [search.md](search.md#words-that-are-not-in-the-index); empty with `--exact`.',
    {
      word: field.text('A word of the query that is not in the index.'),
      instead: field.texts('What was searched instead.'),
      kind: field(
        z.enum(['spelling', 'compound', 'prefix']),
        'A similar word, parts of the word or words that contain it, or words that begin with it.',
      ),
    },
  ),
  filters: optionalObjectField(
    'How [filters](search.md#filters) were understood; omitted without any.',
    {
      from: field(z.optional(z.nullable(z.string())), 'First day, `YYYY-MM-DD`; `null` for any.'),
      to: field(z.optional(z.nullable(z.string())), 'Last day, inclusive; `null` for any.'),
      where: field(z.optional(z.array(z.string())), 'Conditions about front matter.'),
      tags: field(z.optional(z.array(z.string())), 'Required tags.'),
      heading: field.optionalText('Required part of a heading.'),
      kinds: field(z.optional(z.array(z.string())), 'Kinds of documents, any of them.'),
    },
  ),
  rerank: optionalObjectField(
    'How the results were reranked; omitted if they were not. See [reranking.md](reranking.md).',
    {
      provider: field.text('`query.rerank.provider`.'),
      model: field.textOrNull('Its model; `null` if the server decides.'),
      passages: field.count('Passages with a score of the reranker.'),
      cached: field.count('How many of these scores came from the cache, which costs nothing.'),
      tokens: field(z.optional(z.number()), 'Billed tokens, if the vendor reports them.'),
      searchUnits: field(
        z.optional(z.number()),
        'Billed search units, if the vendor reports them.',
      ),
      ms: field(z.number(), 'Duration of the reranking in milliseconds.'),
    },
  ),
  matches: field.count('Total number of matching chunks.'),
  belowMinScore: field.count('Results dropped by the minimum score.'),
  searchMs: field(
    z.number(),
    'Duration of the search in milliseconds, without startup and index update.',
  ),
});

export type SearchOutput = DocumentOf<typeof searchOutputSchema>;
