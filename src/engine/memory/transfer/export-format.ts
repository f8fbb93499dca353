import * as z from 'zod/mini';

/*
 * An export is JSON Lines: a header, the documents, the vectors behind their spaces, an end that sums
 * up. See docs/backup.md.
 */

/** The only version there is. */
export const EXPORT_VERSION = 1;

/** The longest line: the largest document in base64, and what stands around it. */
export const MAX_LINE_BYTES = 96 * 1024 * 1024;

const MAX_PATH_CHARS = 1024;
const MAX_IDENTITY_CHARS = 4096;
const MAX_DIMENSIONS = 65_536;

const count = z.int().check(z.minimum(0));
const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));

const headerLine = z.strictObject({
  type: z.literal('header'),
  format: z.literal('svc-memory'),
  version: z.literal(EXPORT_VERSION),
  at: z.iso.datetime(),
  agent: z.nullable(z.string()),
});

const documentLine = z.strictObject({
  type: z.literal('document'),
  path: z.string().check(z.minLength(1), z.maxLength(MAX_PATH_CHARS)),
  /** When the file was changed last, in milliseconds since the epoch. */
  modifiedMs: z.number().check(z.minimum(0)),
  /** Of the bytes that are given here. */
  sha256,
  encoding: z.enum(['utf8', 'base64']),
  content: z.string(),
});

const spaceLine = z.strictObject({
  type: z.literal('space'),
  space: count,
  identity: z.string().check(z.minLength(1), z.maxLength(MAX_IDENTITY_CHARS)),
  dimensions: z.int().check(z.minimum(1), z.maximum(MAX_DIMENSIONS)),
});

const vectorLine = z.strictObject({
  type: z.literal('vector'),
  space: count,
  /** Names what was embedded, hexadecimal; see content-hash.ts. */
  content: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  /** Little-endian 32-bit floats in base64. */
  vector: z.string(),
});

const endLine = z.strictObject({
  type: z.literal('end'),
  documents: count,
  vectors: count,
  /** Of all lines before this one, line ends included. */
  sha256,
});

/** A line of an export. */
export const exportLineSchema = z.discriminatedUnion('type', [
  headerLine,
  documentLine,
  spaceLine,
  vectorLine,
  endLine,
]);

export type ExportLine = Readonly<z.infer<typeof exportLineSchema>>;
/** A line of one type. */
export type LineOf<T extends ExportLine['type']> = Extract<ExportLine, { readonly type: T }>;
