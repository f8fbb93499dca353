import * as z from 'zod/mini';

const line = z.int().check(z.minimum(1));

const passage = z.strictObject({ path: z.string(), startLine: line, endLine: line });

/** A file that was changed for an entry, with what is needed to restore it. */
const changedFile = z.strictObject({
  path: z.string(),
  absolutePath: z.string(),
  backup: z.string(),
  /** SHA-256 of the file after the change, hexadecimal; null when it was deleted. */
  leftHash: z.nullable(z.string()),
  /** Permissions of a deleted file. */
  mode: z.optional(z.int().check(z.minimum(0), z.maximum(0o777))),
});

const entry = z.strictObject({
  id: z.string().check(z.regex(/^f[1-9]\d*$/)),
  at: z.iso.datetime(),
  /** Where the passages were. */
  passages: z.array(passage),
  documents: z.array(z.string()),
  /** Hashes of the lines of each passage, in order. */
  lines: z.array(z.array(z.string())),
  files: z.array(changedFile),
  /** In a shared memory: the host that has these files, and the salt of the hashes, if not the list's. */
  origin: z.optional(z.string()),
  salt: z.optional(z.string()),
});

/** The forget list: no text, only salted hashes. It is separate from the index, which can be deleted at any time. */
export const forgetListSchema = z.strictObject({
  version: z.literal(1),
  salt: z.string(),
  /** The next entry's number; ids are never reused. */
  next: line,
  entries: z.array(entry),
});
