import * as z from 'zod/mini';
import {
  count,
  type DeepReadonly,
  type DocumentOf,
  documentSchema,
  field,
  line,
  listField,
  objectOrNullField,
} from '../../errors/output-schema.js';
import { agentId, fileFields, path } from '../output-schemas.js';

/** Whether a file belongs to a memory, and why. */
export const whyOutput = z.strictObject({
  path: field.text('The file or folder, relative to the workspace.'),
  included: field.flag('Whether it belongs to the memory.'),
  indexed: field.flag('Whether the index has it now.'),
  reason: field(
    z.enum([
      'excluded',
      'forgotten',
      'included',
      'missing',
      'other_host',
      'other_kind',
      'outside',
      'skipped',
    ]),
    '`excluded` by a pattern, by the collections of `memory.ext`, or as a conversation that is not for this memory, `forgotten` as a whole, `missing` on disk, indexed by an `other_host` of a shared memory, `other_kind` of file, `outside` of the folders that are indexed, or `skipped` although it belongs there.',
  ),
  detail: field.optionalText('Details, for display.'),
  rule: objectOrNullField('The pattern that decided; `null` if none matches.', {
    from: field(
      z.enum(['setting', 'svcignore', 'gitignore']),
      '`memorySearch.exclude`, or an ignore file.',
    ),
    file: field.textOrNull('The file with the pattern; `null` if unknown.'),
    line: field(z.nullable(count), 'Its line; `null` if unknown.'),
    pattern: field.text('The pattern, as written.'),
    path: field.text('The file or folder that it matches.'),
  }),
});

const link = z.strictObject({
  from: field.text('The note with the link.'),
  line: field(line, 'Its line.'),
  kind: field(z.enum(['markdown', 'wiki']), '`[label](target.md)`, or `[[Target]]`.'),
  target: field.text('The target as written, without the heading.'),
  heading: field.optionalText('The heading after `#`.'),
  to: field.textOrNull('The indexed file; `null` for a broken link.'),
  candidates: field(
    z.optional(z.array(z.string())),
    'Up to five files with the name of a broken link, if there are several.',
  ),
});

const links = {
  out: field(z.array(link), 'Its links, in order.'),
  back: field(z.array(link), 'The links of other notes to it.'),
  broken: field(z.array(link), 'Links that lead to no file, or to a name of several files.'),
};

/** `svc memory links --json`. */
export const linksOutputSchema = documentSchema({
  agent: agentId,
  path: field.textOrNull('The file; `null` with `--broken`, which covers all notes.'),
  ...links,
});

/** `svc memory recent --json`. */
export const recentOutputSchema = documentSchema({
  agent: agentId,
  documents: listField('The newest first.', {
    path,
    ...fileFields,
    modified: field.time('Modification time.'),
    bytes: field.count('Size of the file.'),
  }),
  more: field.count('How many more there are.'),
});

const fact = z.union([z.string(), z.number(), z.boolean()]);

const inspected = z.strictObject({
  path,
  ...fileFields,
  mimeType: field.optionalText('Only for media.'),
  bytes: field.count('Size of the file when it was indexed.'),
  modified: field.time('Modification time when it was indexed.'),
  indexed: field.time('When it was indexed.'),
  date: objectOrNullField('`null` for conversations, whose passages have their own.', {
    day: field(z.iso.date(), 'The day that `--since`, `--before` and `--on` compare.'),
    from: field(
      z.enum(['front_matter', 'modified', 'name']),
      'Where it is from: the name of the file, its front matter, or its modification time.',
    ),
  }),
  tags: field.texts('What `--tag` compares.'),
  properties: field(
    z.record(z.string(), z.union([fact, z.array(fact)])),
    'What `--where` compares: the front matter.',
  ),
  fault: field.textOrNull('Why the front matter cannot be read; `null` otherwise.'),
  chunkCount: field.count('How many chunks the file has.'),
  chunks: listField('All of them, or those of the lines of a citation.', {
    startLine: field(line, 'First line.'),
    endLine: field(line, 'Last line, included.'),
    headingPath: field.texts('The headings above it; `--heading` compares them.'),
    tokens: field.count('Estimated.'),
    vector: field(
      z.enum(['none', 'refused', 'stored']),
      '`stored` if it has a vector in use, `refused` if the provider does not embed it.',
    ),
    text: field.text('The text, as indexed.'),
  }),
  ...links,
});

/** `svc memory inspect --json`. */
export const inspectOutputSchema = documentSchema({
  agent: agentId,
  document: field(z.nullable(inspected), 'What is stored; `null` for a file that is not indexed.'),
  why: field(
    z.nullable(whyOutput),
    'Whether the file belongs to memory, and why; `null` for conversations.',
  ),
});

/** A link of a note, and where it leads. */
export type ResolvedLink = DeepReadonly<z.infer<typeof link>>;
export type WhyOutput = DeepReadonly<z.infer<typeof whyOutput>>;
export type LinksOutput = DocumentOf<typeof linksOutputSchema>;
export type RecentOutput = DocumentOf<typeof recentOutputSchema>;
export type InspectOutput = DocumentOf<typeof inspectOutputSchema>;
