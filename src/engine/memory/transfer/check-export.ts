import { createHash, hash } from 'node:crypto';
import { floatsOf } from '../index/vectors/vector-bytes.js';
import { MAX_DOCUMENT_BYTES } from '../sources/read-document.js';
import { exportFault } from './export-fault.js';
import { type ExportLine, exportLineSchema, type LineOf } from './export-format.js';
import { isSafePath } from './landing-path.js';
import { readFileLines } from './read-lines.js';

/** A document of an export, without its content. */
export interface ListedDocument {
  readonly path: string;
  readonly sha256: string;
}

/** What a whole and sound export holds. */
export interface CheckedExport {
  readonly file: string;
  readonly documents: readonly ListedDocument[];
  readonly spaces: readonly LineOf<'space'>[];
  readonly vectors: number;
}

/**
 * Reads an export to its end and holds every line against what svc writes. Nothing is taken that is not
 * understood, cut off, changed, or would land outside the folder it is taken in.
 *
 * @throws SvcError IMPORT_INVALID with the first line at fault; the system's error
 */
export async function checkExport(file: string): Promise<CheckedExport> {
  const documents = new Map<string, ListedDocument>();
  const spaces: LineOf<'space'>[] = [];
  const digest = createHash('sha256');
  let vectors = 0;
  let last = 0;
  let ended = false;
  for await (const { number, bytes } of readFileLines(file)) {
    const fault = (why: string) => exportFault(file, number, why);
    if (ended) throw fault('something follows the end');
    const line = parseLine(bytes, fault);
    if ((line.type === 'header') !== (number === 1)) throw fault('a header stands first, and once');
    last = number;
    switch (line.type) {
      case 'header':
        break;
      case 'document':
        checkDocument(line, fault);
        if (documents.has(line.path)) throw fault('a document before it has the same path');
        documents.set(line.path, { path: line.path, sha256: line.sha256 });
        break;
      case 'space':
        if (line.space !== spaces.length) throw fault('spaces are counted from 0');
        spaces.push(line);
        break;
      case 'vector':
        vectors += 1;
        checkVector(line, spaces.at(-1), fault);
        break;
      case 'end':
        ended = true;
        if (line.documents !== documents.size || line.vectors !== vectors) {
          throw fault('lines are missing before it');
        }
        if (line.sha256 !== digest.digest('hex')) throw fault('the lines before it were changed');
        break;
    }
    if (!ended) digest.update(bytes).update('\n');
  }
  if (!ended) throw exportFault(file, last + 1, 'the file ends here, without an end line');
  return { file, documents: [...documents.values()], spaces, vectors };
}

/** The line, as the schema has it. @param fault makes the error */
export function parseLine(bytes: Buffer, fault: (why: string) => Error): ExportLine {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw fault('it is not JSON');
  }
  const parsed = exportLineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`;
  throw fault(`svc does not know such a line${where}`);
}

/** The bytes of a document's file. */
export function contentOf({ content, encoding }: LineOf<'document'>): Buffer {
  return Buffer.from(content, encoding);
}

/** The vector of a line. */
export function vectorOf({ vector }: LineOf<'vector'>): Float32Array {
  return floatsOf(Buffer.from(vector, 'base64'));
}

function checkDocument(line: LineOf<'document'>, fault: (why: string) => Error): void {
  if (!isSafePath(line.path)) throw fault('its path leads out of the folder');
  const bytes = contentOf(line);
  if (bytes.length > MAX_DOCUMENT_BYTES) throw fault('it is larger than a note may be');
  if (hash('sha256', bytes) !== line.sha256) throw fault('its content was changed');
}

function checkVector(
  line: LineOf<'vector'>,
  space: LineOf<'space'> | undefined,
  fault: (why: string) => Error,
): void {
  if (space?.space !== line.space) throw fault('its space does not stand before it');
  const vector = vectorOf(line);
  if (vector.length !== space.dimensions) throw fault(`it has not ${space.dimensions} dimensions`);
  if (!vector.every(Number.isFinite)) throw fault('it holds something that is no number');
}
