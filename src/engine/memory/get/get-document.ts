import { lstatSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { SvcError } from '../../errors/index.js';
import { realOrGiven } from '../../support/files.js';
import { iso } from '../../support/time.js';
import type { ExtractedTexts } from '../extract/index.js';
import type { Forgotten } from '../forgotten/index.js';
import type { OtherHosts } from '../home/index.js';
import type { MemoryIndex, StoredDocument } from '../index/index.js';
import { parseCitation } from '../search/index.js';
import { skipWords } from '../skip-words.js';
import {
  absoluteFromDisplay,
  displayPath,
  fingerprintOf,
  type MemorySources,
  type ReadOutcome,
  readDocument,
  resolveWorkspace,
} from '../sources/index.js';
import type { DocumentKey } from '../types.js';
import { lookUpOther, readShared } from './get-shared.js';
import {
  citedLines,
  describeMedia,
  type FoundDocument,
  findByName,
  findNamed,
  type GetRequest,
  linesWithinLimit,
  type ReadLines,
  readingsOf,
  requestedLines,
  unreadable,
} from './requested-lines.js';

/**
 * Reads lines of an indexed document and of no other file: the path must be in the index, and must not be a
 * symbolic link now.
 *
 * @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID
 */
export async function readDocumentLines(
  request: GetRequest,
  { index, sources, forgotten, texts, others, signal }: ReadContext,
): Promise<ReadLines> {
  const { memory, transcripts } = sources;
  const target = ownTarget(request.target, others);
  // A host may have no workspace of its own.
  const own = await lookUpIndexed(index, realOrGiven(memory.workspaceDir), target);
  if (others !== undefined && own === undefined) {
    const theirs = await lookUpOther(others, target);
    if (theirs !== undefined) return readShared(others, theirs, request);
  }
  const workspaceDir = resolveWorkspace(memory.workspaceDir);
  if (own === undefined) throw notIndexed(await index.documents(), target);
  const { document } = own;
  if (document.source === 'sessions') {
    const { readTurns } = await import('./get-turns.js');
    return readTurns(own, request, { transcripts, forgotten });
  }
  const absolutePath = absoluteFromDisplay(workspaceDir, document.path);
  refuseLinks(absolutePath, document.path);
  const { path, source, kind, mimeType } = document;
  if (mimeType !== undefined) {
    const { size, mtimeMs } = fingerprintOf(statSync(absolutePath));
    const refusals = await index.refusedMedia();
    const refused = refusals.find((one) => one.path === path)?.why ?? null;
    const media = { mimeType, bytes: size, modified: iso(mtimeMs), refused };
    return describeMedia({ path, absolutePath, source, kind }, media);
  }
  const outcome = await texts.read({ absolutePath, path }, { signal });
  return linesOf(outcome, own, request, { absolutePath, forgotten });
}

/** What reading documents needs. */
export interface ReadContext {
  readonly index: MemoryIndex;
  readonly sources: MemorySources;
  readonly forgotten: Forgotten;
  readonly texts: ExtractedTexts;
  readonly others?: OtherHosts | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A citation of this host's own file that another host has printed, as this host writes it. */
export function ownTarget(target: string, others: OtherHosts | undefined): string {
  const prefix = others === undefined ? undefined : `${others.place.origin}:`;
  return prefix !== undefined && target.startsWith(prefix) ? target.slice(prefix.length) : target;
}

/** Lines of a text file as it is now. @throws SvcError DOCUMENT_UNREADABLE, RANGE_INVALID */
export function readFileLines(
  found: FoundDocument<DocumentKey & Pick<ReadLines, 'kind'>>,
  request: GetRequest,
  file: FileToRead,
): ReadLines {
  const outcome = readDocument(file.absolutePath, found.document.path);
  return linesOf(outcome, found, request, file);
}

interface FileToRead {
  readonly absolutePath: string;
  readonly forgotten: Forgotten;
}

/** @throws SvcError DOCUMENT_UNREADABLE, RANGE_INVALID */
function linesOf(
  outcome: ReadOutcome,
  found: FoundDocument<DocumentKey & Pick<ReadLines, 'kind'>>,
  request: GetRequest,
  { absolutePath, forgotten }: FileToRead,
): ReadLines {
  const { path, source, kind } = found.document;
  if (!outcome.ok) throw unreadable(`cannot read ${path}: ${skipWords(outcome.skip)}`);
  const { hash } = outcome.document;
  const range = citedLines(found, outcome.document.lines);
  const { lines } = forgotten.cover(outcome.document.lines, hash);
  const requested = requestedLines(request, range, path, lines.count);
  const { endLine, text, isCut } = linesWithinLimit(lines, requested);
  return {
    path,
    absolutePath,
    source,
    kind,
    startLine: requested.startLine,
    endLine,
    text,
    totalLines: lines.count,
    truncated:
      isCut || (request.lines === undefined && endLine < lines.count && range === undefined),
  };
}

/** The document of an index that a path or citation names, if any. @throws SvcError RANGE_INVALID */
export async function lookUpIndexed(
  index: Pick<MemoryIndex, 'documents'>,
  workspaceDir: string,
  target: string,
): Promise<FoundDocument<StoredDocument> | undefined> {
  const paths = readingsOf(target).map(({ path }) => shownPath(workspaceDir, path));
  const named = lookUpDocument(await index.documents(paths), workspaceDir, target);
  // Only a name in another form of Unicode is compared with all of them.
  return named ?? lookUpDocument(await index.documents(), workspaceDir, target);
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

function shownPath(workspaceDir: string, path: string): string {
  return isAbsolute(path) ? displayPath(workspaceDir, path) : path.replace(/^\.\//, '');
}

/** The error for a text that names no indexed document. @param documents all of them, as suggestions */
export function notIndexed(documents: readonly DocumentKey[], target: string): SvcError {
  const { path } = parseCitation(target);
  return new SvcError('DOCUMENT_NOT_INDEXED', `${path || 'an empty path'} is not an indexed file`, {
    hint: `use a path from "svc memory search"${similarPaths(documents, path)}; "svc memory status --why PATH" shows why a file is not indexed`,
  });
}

/** Indexed files with a similar name, as suggestions. */
function similarPaths(documents: readonly DocumentKey[], path: string): string {
  const name = path.split('/').at(-1) ?? path;
  const same = documents.filter((document) => document.path.endsWith(`/${name}`)).slice(0, 3);
  return same.length === 0 ? '' : `, such as ${same.map((found) => found.path).join(', ')}`;
}

function refuseLinks(absolutePath: string, path: string): void {
  const stats = lstatSync(absolutePath, { throwIfNoEntry: false });
  if (stats === undefined) throw unreadable(`${path} is gone`);
  if (!stats.isFile() || realpathSync(absolutePath) !== absolutePath) {
    throw new SvcError('DOCUMENT_NOT_INDEXED', `${path} is behind a symbolic link`, {
      hint: 'pass the file it leads to; symbolic links are not followed',
    });
  }
}
