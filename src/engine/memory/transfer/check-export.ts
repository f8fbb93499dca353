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
  const checker = new ExportChecker();
  let last = 0;
  for await (const { number, bytes } of readFileLines(file)) {
    checker.take(bytes, number === 1, (why) => exportFault(file, number, why));
    last = number;
  }
  if (!checker.ended) throw exportFault(file, last + 1, 'the file ends here, without an end line');
  const { documents, spaces, vectors } = checker;
  return { file, documents: [...documents.values()], spaces, vectors };
}

/** Makes the error of a line. */
type Fault = (why: string) => Error;

/** Reads the lines of an export in order, and remembers what later ones are held against. */
class ExportChecker {
  readonly documents = new Map<string, ListedDocument>();
  readonly spaces: LineOf<'space'>[] = [];
  vectors = 0;
  ended = false;
  private readonly digest = createHash('sha256');

  take(bytes: Buffer, isFirst: boolean, fault: Fault): void {
    if (this.ended) throw fault('something follows the end');
    const line = parseLine(bytes, fault);
    if ((line.type === 'header') !== isFirst) throw fault('a header stands first, and once');
    this.hold(line, fault);
    if (!this.ended) this.digest.update(bytes).update('\n');
  }

  private hold(line: ExportLine, fault: Fault): void {
    switch (line.type) {
      case 'header':
        return;
      case 'document':
        checkDocument(line, fault);
        if (this.documents.has(line.path)) throw fault('a document before it has the same path');
        this.documents.set(line.path, { path: line.path, sha256: line.sha256 });
        return;
      case 'space':
        if (line.space !== this.spaces.length) throw fault('spaces are counted from 0');
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

  private checkEnd(line: LineOf<'end'>, fault: Fault): void {
    if (line.documents !== this.documents.size || line.vectors !== this.vectors) {
      throw fault('lines are missing before it');
    }
    if (line.sha256 !== this.digest.digest('hex')) throw fault('the lines before it were changed');
  }
}

/** The line, as the schema has it. @param fault makes the error */
export function parseLine(bytes: Buffer, fault: Fault): ExportLine {
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

function checkDocument(line: LineOf<'document'>, fault: Fault): void {
  if (!isSafePath(line.path)) throw fault('its path leads out of the folder');
  const bytes = contentOf(line);
  if (bytes.length > MAX_DOCUMENT_BYTES) throw fault('it is larger than a note may be');
  if (hash('sha256', bytes) !== line.sha256) throw fault('its content was changed');
}

function checkVector(
  line: LineOf<'vector'>,
  space: LineOf<'space'> | undefined,
  fault: Fault,
): void {
  if (space?.space !== line.space) throw fault('its space does not stand before it');
  const vector = vectorOf(line);
  if (vector.length !== space.dimensions) throw fault(`it has not ${space.dimensions} dimensions`);
  if (!vector.every(Number.isFinite)) throw fault('it holds something that is no number');
}
