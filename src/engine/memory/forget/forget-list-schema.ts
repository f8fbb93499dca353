import * as z from 'zod/mini';

const line = z.int().check(z.minimum(1));

const passage = z.strictObject({ path: z.string(), startLine: line, endLine: line });

/** A file that was changed for an entry, and what is kept to change it back. */
const changedFile = z.strictObject({
  path: z.string(),
  absolutePath: z.string(),
  backup: z.string(),
  /** SHA-256 of what was left of it, hexadecimal; null when it was deleted. */
  leftHash: z.nullable(z.string()),
});

const entry = z.strictObject({
  id: z.string().check(z.regex(/^f[1-9]\d*$/)),
  at: z.iso.datetime(),
  /** Where the passages stood when they were forgotten. */
  passages: z.array(passage),
  /** Names of whole files' bytes. */
  documents: z.array(z.string()),
  /** Names of the lines of each passage, in order. */
  lines: z.array(z.array(z.string())),
  files: z.array(changedFile),
});

/**
 * The file of what is forgotten: no text, only salted hashes of it. It is apart from the index, which
 * may be thrown away at any time.
 */
export const forgetListSchema = z.strictObject({
  version: z.literal(1),
  salt: z.string(),
  /** The number of the next entry: an id is never given twice. */
  next: line,
  entries: z.array(entry),
});
