import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import * as z from 'zod/mini';
import { SvcError } from '../../errors/index.js';
import { DOCUMENT_FORMATS } from '../../support/document-format.js';
import { atMost, nonEmpty } from '../../support/lengths.js';
import { parsedJson } from '../../support/text.js';
import { floatsOf } from '../index/index.js';
import { kindOfName, MAX_DOCUMENT_BYTES, modalityOfName } from '../sources/index.js';

/*
 * An export is JSON Lines: a header, documents, vectors by space, and an end with totals. See docs/backup.md.
 */

export const EXPORT_VERSION = 1;

/** The longest line: the largest document in base64, with some overhead. */
const MAX_LINE_BYTES = 96 * 1024 * 1024;

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

/** What any later version has, whatever else. */
const newerHeader = z.object({
  format: z.literal('svc-memory'),
  version: z.int().check(z.gt(EXPORT_VERSION)),
});

const documentLine = z.strictObject({
  type: z.literal('document'),
  path: z.string().check(nonEmpty(), atMost(MAX_PATH_CHARS)),
  // Negative before 1970.
  modifiedMs: z.number(),
  /** Of these bytes. */
  sha256,
  encoding: z.enum(['utf8', 'base64']),
  content: z.string(),
});

const spaceLine = z.strictObject({
  type: z.literal('space'),
  space: count,
  identity: z.string().check(nonEmpty(), atMost(MAX_IDENTITY_CHARS)),
  dimensions: z.int().check(z.minimum(1), z.maximum(MAX_DIMENSIONS)),
});

const vectorLine = z.strictObject({
  type: z.literal('vector'),
  space: count,
  /** Hash of what was embedded, hexadecimal; see content-hash.ts. */
  content: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  /** Little-endian 32-bit floats in base64, one vector after another: one for each piece of the text. */
  vector: z.string(),
});

const endLine = z.strictObject({
  type: z.literal('end'),
  documents: count,
  vectors: count,
  /** Of all lines before this one, including line ends. */
  sha256,
});

const exportLineSchema = z.discriminatedUnion('type', [
  headerLine,
  documentLine,
  spaceLine,
  vectorLine,
  endLine,
]);

export type ExportLine = Readonly<z.infer<typeof exportLineSchema>>;
export type LineOf<T extends ExportLine['type']> = Extract<ExportLine, { readonly type: T }>;

/** A fault in an export. */
export function exportFault(
  file: string,
  line: number,
  why: string,
  hint = 'create the export again with "svc memory export"',
): SvcError {
  return new SvcError('IMPORT_INVALID', `invalid export, line ${line}: ${why}`, {
    location: { file, line, column: 1 },
    hint: `nothing was written; ${hint}`,
  });
}

const NEWLINE = 10;

/**
 * The lines of a file with their numbers, from 1, one in memory at a time.
 *
 * @throws SvcError IMPORT_INVALID for a line over the limit; the system's error
 */
export async function* readFileLines(file: string) {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 1;
  for await (const piece of createReadStream(file)) {
    let rest: Buffer = piece;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      yield { number, bytes: Buffer.concat([...parts, rest.subarray(0, end)]) };
      number += 1;
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.length === 0) continue;
    parts.push(rest);
    length += rest.length;
    if (length > MAX_LINE_BYTES) throw exportFault(file, number, 'it is too long');
  }
  if (length > 0) yield { number, bytes: Buffer.concat(parts) };
}

/** Where documents are imported that have no safe path of their own. */
const OTHER_FOLDER = 'memory/imported';
const HASH_CHARS = 8;
/** A file name of as many characters fits into the 255 bytes of most file systems. */
const MAX_NAME_CHARS = 60;

/**
 * A document's path in an export: its own if that is safe, else a separate one among the notes, as for documents of
 * `extraPaths`.
 *
 * @param attempt another number gives another path, if a note is there already
 */
export function exportedPath(path: string, attempt = 0): string {
  if (path.length <= MAX_PATH_CHARS && isSafePath(path)) return path;
  const [, stem = '', extension = ''] =
    /^(.*?)(\.[^.]*)?$/su.exec(basename(path).replaceAll(NOT_IN_NAMES, '_')) ?? [];
  const name = `${stem.replace(/^[\s.]+/u, '') || '_'}${extension}`.trimEnd();
  const shortened = [...name].slice(-MAX_NAME_CHARS).join('').trimStart();
  const hashed = attempt === 0 ? path : `${path}\0${attempt}`;
  return `${OTHER_FOLDER}/${hash('sha256', hashed).slice(0, HASH_CHARS)}/${shortened}`;
}

/** Other separators, drive letters and ASCII control characters: all of \p{Cc} but U+0080 to U+009F. */
const NOT_IN_NAMES = /[\\:]|[^\P{Cc}\u0080-\u009F]/gu;

/**
 * Whether a path leads to a file below the target folder on every system: no `..`, absolute paths, drive
 * letters, other separators or hidden folders.
 */
export function isSafePath(path: string): boolean {
  if (path.search(NOT_IN_NAMES) !== -1) return false;
  return path
    .split('/')
    .every((part) => part !== '' && !part.startsWith('.') && part.trim() === part);
}

/** What a valid export contains. */
export type CheckedExport = Awaited<ReturnType<typeof checkExport>>;

/**
 * Reads a whole export and validates every line. Anything unknown, truncated, modified or outside the target
 * folder is rejected.
 *
 * @throws SvcError IMPORT_INVALID with the first invalid line; the system's error
 */
export async function checkExport(file: string) {
  const checker = new ExportChecker();
  let last = 0;
  for await (const { number, bytes } of readFileLines(file)) {
    checker.check(bytes, number === 1, (why, hint) => exportFault(file, number, why, hint));
    last = number;
  }
  if (!checker.ended) throw exportFault(file, last + 1, 'the file ends without an end line');
  const { documents, spaces, vectors } = checker;
  return { file, documents, spaces, vectors };
}

/** Creates the error for a line. */
type Fault = (why: string, hint?: string) => Error;

/** Reads the lines of an export in order, and remembers what later lines are checked against. */
class ExportChecker {
  /** SHA-256 of the content of each, by path. */
  readonly documents = new Map<string, string>();
  readonly spaces: LineOf<'space'>[] = [];
  vectors = 0;
  ended = false;
  private readonly folders = new Set<string>();
  private readonly digest = createHash('sha256');

  check(bytes: Buffer, isFirst: boolean, fault: Fault): void {
    if (this.ended) throw fault('unexpected content after the end');
    const line = parseLine(bytes, fault);
    if ((line.type === 'header') !== isFirst)
      throw fault('the header must be the first line, and only that');
    this.checkLine(line, fault);
    if (!this.ended) this.digest.update(bytes).update('\n');
  }

  private checkLine(line: ExportLine, fault: Fault): void {
    switch (line.type) {
      case 'header':
        return;
      case 'document':
        checkDocument(line, fault);
        if (this.documents.has(line.path)) throw fault('duplicate path');
        this.checkFolders(line.path, fault);
        this.documents.set(line.path, line.sha256);
        return;
      case 'space':
        if (line.space !== this.spaces.length) throw fault('spaces must be numbered from 0');
        this.spaces.push(line);
        return;
      case 'vector':
        checkVector(line, this.spaces.at(-1), fault);
        this.vectors += 1;
        return;
      case 'end':
        this.checkEnd(line, fault);
        this.ended = true;
    }
  }

  /** A file cannot be the folder of another. */
  private checkFolders(path: string, fault: Fault): void {
    const folders: string[] = [];
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
      folders.push(path.slice(0, at));
    }
    if (this.folders.has(path) || folders.some((folder) => this.documents.has(folder))) {
      throw fault('a document is also the folder of another');
    }
    for (const folder of folders) this.folders.add(folder);
  }

  private checkEnd(line: LineOf<'end'>, fault: Fault): void {
    if (line.documents !== this.documents.size || line.vectors !== this.vectors) {
      throw fault('earlier lines are missing');
    }
    if (line.sha256 !== this.digest.digest('hex')) throw fault('earlier lines were changed');
  }
}

/** @param fault creates the error */
export function parseLine(bytes: Buffer, fault: Fault): ExportLine {
  const value = parsedJson(bytes.toString('utf8'));
  if (value === undefined) throw fault('it is not JSON');
  const parsed = exportLineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { data: newer } = newerHeader.safeParse(value);
  if (newer !== undefined) {
    const why = `a newer svc wrote it (format ${newer.version}, this one knows ${EXPORT_VERSION})`;
    throw fault(why, 'update svc');
  }
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`;
  throw fault(`unknown kind of line${where}`);
}

export function contentOf({ content, encoding }: LineOf<'document'>): Buffer {
  return Buffer.from(content, encoding);
}

export function vectorsOf(
  { vector }: LineOf<'vector'>,
  { dimensions }: Pick<LineOf<'space'>, 'dimensions'>,
): Float32Array[] {
  const floats = floatsOf(Buffer.from(vector, 'base64'));
  const count = Math.ceil(floats.length / dimensions);
  return Array.from({ length: count }, (_, at) =>
    floats.subarray(at * dimensions, (at + 1) * dimensions),
  );
}

function checkDocument(line: LineOf<'document'>, fault: Fault): void {
  const { path } = line;
  if (!isSafePath(path)) throw fault('its path is not safe on every system');
  // Whoever made the export could place a program, or the settings of one, among the notes.
  const kind = kindOfName(path, { documents: DOCUMENT_FORMATS }) ?? modalityOfName(path);
  if (kind === undefined) throw fault('it is not a note, document, image or recording');
  const bytes = contentOf(line);
  if (bytes.length > MAX_DOCUMENT_BYTES) throw fault('it is larger than the limit for notes');
  if (hash('sha256', bytes) !== line.sha256) throw fault('its content was changed');
}

function checkVector(
  line: LineOf<'vector'>,
  space: LineOf<'space'> | undefined,
  fault: Fault,
): void {
  if (space?.space !== line.space) throw fault('its space is missing');
  const vectors = vectorsOf(line, space);
  const areWhole = vectors.every(({ length }) => length === space.dimensions);
  if (vectors.length === 0 || !areWhole) throw fault(`it must have ${space.dimensions} dimensions`);
  if (!vectors.every((vector) => vector.every(Number.isFinite)))
    throw fault('it contains something that is not a number');
}
