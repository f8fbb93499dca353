import { basename, isAbsolute } from 'node:path';
import { SvcError } from '../../errors/index.js';
import { realEntry } from '../../support/paths.js';
import { unescapedLine } from '../../support/safe-line.js';
import { suggestName } from '../../support/text.js';
import type { OtherHosts } from '../home/index.js';
import type { MemoryIndex, OtherDocument, StoredDocument } from '../index/index.js';
import {
  documentName,
  type PageRange,
  type ParsedCitation,
  parseCitation,
} from '../search/index.js';
import { displayPath } from '../sources/index.js';
import type { DocumentKey, LineRange } from '../types.js';

/** A document that a path or a citation names, with the lines or pages of the citation. */
export interface FoundDocument<D extends DocumentKey> {
  readonly document: D;
  readonly range?: LineRange | undefined;
  readonly pages?: PageRange | undefined;
}

/** A citation of this host's own file that another host has printed, as this host writes it. */
export function ownTarget(target: string, others: OtherHosts | undefined): string {
  const prefix = others === undefined ? undefined : `${others.place.origin}:`;
  return prefix !== undefined && target.startsWith(prefix) ? target.slice(prefix.length) : target;
}

/** The document of an index that a path or citation names, if any. @throws SvcError RANGE_INVALID */
export async function lookUpIndexed(
  index: Pick<MemoryIndex, 'documents'>,
  workspaceDir: string,
  target: string,
): Promise<FoundDocument<StoredDocument> | undefined> {
  return lookUpFirstByName(
    readingsOf(target).map(({ path }) => shownPath(workspaceDir, path)),
    async (paths) => lookUpDocument(await index.documents(paths), workspaceDir, target),
  );
}

/** Only a name that may be in another form of Unicode is compared with all of them. */
async function lookUpFirstByName<T>(
  names: readonly string[],
  lookUp: (names?: readonly string[]) => Promise<T | undefined>,
): Promise<T | undefined> {
  const named = await lookUp(names);
  const isPlain = names.every((name) => name.normalize('NFC') === name.normalize('NFD'));
  return named === undefined && !isPlain ? lookUp() : named;
}

/** The document that a path or citation names, if any. @throws SvcError RANGE_INVALID */
export function lookUpDocument<D extends DocumentKey>(
  documents: readonly D[],
  workspaceDir: string,
  target: string,
): FoundDocument<D> | undefined {
  return findNamed(target, (path) => {
    return findByName(documents, (candidate) => candidate.path, shownPath(workspaceDir, path));
  });
}

/** The folder of a file may be reached through a link, as the workspace may; the file itself is none. */
function shownPath(workspaceDir: string, path: string): string {
  if (!isAbsolute(path)) return path.replace(/^\.\//, '');
  return displayPath(workspaceDir, realEntry(path));
}

/** The error for a text that names no indexed document. @param documents all of them, as suggestions */
export function notIndexed(documents: readonly DocumentKey[], target: string): SvcError {
  const { path } = parseCitation(target);
  return new SvcError('DOCUMENT_NOT_INDEXED', `${path || 'an empty path'} is not an indexed file`, {
    hint: `use a path from "svc memory search"${similarPaths(documents, path)}; "svc memory status --why PATH" shows why a file is not indexed`,
  });
}

/** Indexed files with this name, or else with the nearest one, as suggestions. */
function similarPaths(documents: readonly DocumentKey[], path: string): string {
  const names = documents.map((document) => basename(document.path));
  const nearest = suggestName(basename(path).slice(0, LONGEST_NAME), names);
  const similar = documents.filter((_, at) => names[at] === nearest).slice(0, 3);
  return similar.length === 0 ? '' : `, such as ${similar.map((found) => found.path).join(', ')}`;
}

/** Comparing takes time for each character, and a client may send anything. */
const LONGEST_NAME = 255;

/** The document of another host with this name, path or citation; if hosts have the same path, that of the first host. */
export async function lookUpOther(
  others: Pick<OtherHosts, 'documents'>,
  target: string,
): Promise<FoundDocument<OtherDocument> | undefined> {
  return lookUpFirstByName(
    readingsOf(target).map(({ path }) => path),
    async (names) => {
      const documents = await others.documents(names);
      return findNamed(
        target,
        (path) =>
          findByName(documents, documentName, path) ??
          findByName(documents, (candidate) => candidate.path, path),
      );
    },
  );
}

/** For commands that need the file itself. @throws SvcError DOCUMENT_ELSEWHERE if a name is that of a file of another host */
export async function refuseOther(others: OtherHosts, target: string): Promise<void> {
  const other = await lookUpOther(others, target);
  if (other === undefined) return;
  const { origin, path } = other.document;
  throw new SvcError('DOCUMENT_ELSEWHERE', `${path} is a file of ${origin}`, {
    hint: `run this command on ${origin}; "svc memory get" shows the file here`,
  });
}

/** What a text may name: a path, also one that ends like a citation, or a citation; each may be escaped as svc prints it. */
export function readingsOf(text: string): readonly ParsedCitation[] {
  return [...new Set([text, unescapedLine(text)])].flatMap((spelled) => [
    { path: spelled },
    parseCitation(spelled),
  ]);
}

/** Finds the document that a text names; see {@link readingsOf}. @throws SvcError RANGE_INVALID */
function findNamed<D extends DocumentKey>(
  text: string,
  documentAt: (path: string) => D | undefined,
): FoundDocument<D> | undefined {
  for (const cited of readingsOf(text)) {
    const document = documentAt(cited.path);
    if (document === undefined) continue;
    const { range, pages } = citedPart(cited);
    return { document, range, pages };
  }
  return undefined;
}

/** The document with a name, also in another form of Unicode: some systems decompose file names, and agents compose what they repeat. */
function findByName<D>(
  documents: readonly D[],
  nameOf: (document: D) => string,
  name: string,
): D | undefined {
  const exact = documents.find((document) => nameOf(document) === name);
  if (exact !== undefined) return exact;
  const composed = name.normalize('NFC');
  return documents.find((document) => nameOf(document).normalize('NFC') === composed);
}

/** The lines or pages that a citation names. @throws SvcError RANGE_INVALID if they end before they start */
export function citedPart(cited: ParsedCitation): Pick<ParsedCitation, 'pages' | 'range'> {
  const { path, range, pages } = cited;
  if (range !== undefined && range.endLine < range.startLine) {
    throw reversed('lines', `${path}#L${Math.max(1, range.endLine)}-L${range.startLine}`);
  }
  if (pages !== undefined && pages.lastPage < pages.firstPage) {
    throw reversed('pages', `${path}#p${Math.max(1, pages.lastPage)}-p${pages.firstPage}`);
  }
  return cited;
}

function reversed(what: string, meant: string): SvcError {
  return new SvcError('RANGE_INVALID', `the first of the ${what} must not be after the last`, {
    hint: `did you mean ${meant}?`,
  });
}
