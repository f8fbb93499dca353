import { statSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../../errors/index.js';
import { namesIn } from '../../../support/files.js';
import type { MemoryStore, ReadConversation } from '../../forget/index.js';
import { type ForgetPlaces, type Forgotten, readForgotten } from '../../forgotten/index.js';
import {
  citedPart,
  type FoundDocument,
  type GetRequest,
  type GetResponse,
  lookUpDocument,
  notIndexed,
  readFileLines,
  requireAllLines,
  unreadable,
} from '../../get/index.js';
import type { ListedDocument } from '../../inspect/recent.js';
import { parseCitation } from '../../search/index.js';
import { skipWords } from '../../skip-words.js';
import {
  joinedLines,
  type MemorySources,
  readDocument,
  resolveWorkspace,
  scanSources,
} from '../../sources/index.js';
import type { WorkOptions } from '../../sync/index.js';
import type { DocumentKey } from '../../types.js';
import type { MemoryBackend } from '../memory-backend.js';
import { exportedTurns } from './export-sessions.js';
import type { ExtSettings } from './ext-settings.js';
import { findFile } from './find-file.js';

interface ExternalDocument extends ListedDocument {
  readonly absolutePath: string;
}

export interface ExternalDocuments {
  readonly settings: ExtSettings;
  readonly sources: MemorySources;
  readonly forget: ForgetPlaces;
  readonly builtin: Pick<MemoryBackend, 'get'>;
}

/**
 * Reads current lines of a file in the program's collections, and of no other file. Accepts the paths of
 * results, and `qmd/COLLECTION/PATH`. Documents that the built-in engine cited in the program's place
 * (conversations, images) are read as well.
 *
 * @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID
 */
export async function getExternal(
  request: GetRequest,
  { settings, sources, forget, builtin }: ExternalDocuments,
  work: WorkOptions,
): Promise<GetResponse> {
  const documents = documentsOf(settings, sources);
  const match = lookUp(request.target, documents, settings, sources);
  if (match === undefined) {
    try {
      return await builtin.get(request, work);
    } catch (error) {
      // Suggests similar documents of the collections.
      if (error instanceof SvcError && error.code === 'DOCUMENT_NOT_INDEXED') {
        throw notIndexed(documents, request.target);
      }
      throw error;
    }
  }
  const { absolutePath } = match.document;
  return readFileLines(match, request, { absolutePath, forgotten: await readForgotten(forget) });
}

/**
 * The exported conversation that a path or a citation means, for forgetting it; undefined for anything else.
 *
 * @throws SvcError DOCUMENT_UNREADABLE, RANGE_INVALID
 */
export function exportedConversation(
  target: string,
  { settings, sources }: Pick<ExternalDocuments, 'settings' | 'sources'>,
): ReadConversation | undefined {
  const match = lookUp(target, documentsOf(settings, sources), settings, sources);
  if (match?.document.source !== 'sessions') return undefined;
  const { document, range } = match;
  const { path, absolutePath } = document;
  const outcome = readDocument(absolutePath, path);
  if (!outcome.ok) throw unreadable(`cannot read ${path}: ${skipWords(outcome.skip)}`);
  const { lines } = outcome.document;
  const { startLine, endLine } = range ?? { startLine: 1, endLine: lines.count };
  requireAllLines({ startLine, endLine }, path, lines.count);
  const said = exportedTurns(joinedLines(lines, startLine - 1, endLine));
  return { path, absolutePath, turns: said.map((text) => ({ line: endLine, text })), range };
}

/** All files of the collections, by path. */
export function listExternal(
  settings: ExtSettings,
  sources: MemorySources,
): readonly ListedDocument[] {
  return documentsOf(settings, sources).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function lookUp(
  target: string,
  documents: readonly ExternalDocument[],
  { collections }: ExtSettings,
  { memory }: MemorySources,
): FoundDocument<ExternalDocument> | undefined {
  const cited = parseCitation(target);
  const { path } = cited;
  const [prefix, name, ...rest] = path.split('/');
  const collection = collections().find((one) => prefix === 'qmd' && one.name === name);
  const file =
    collection === undefined ? undefined : findFile(collection.root, rest.join('/'), () => true);
  const document = documents.find(({ absolutePath }) => absolutePath === file);
  if (document === undefined) {
    return lookUpDocument(documents, resolveWorkspace(memory.workspaceDir), target);
  }
  const { range, pages } = citedPart(cited);
  return { document, range, pages };
}

function documentsOf(
  settings: ExtSettings,
  { memory }: MemorySources,
): readonly ExternalDocument[] {
  const notes = scanSources({ memory }).files.map(({ mtimeMs, ctimeMs: _, ...file }) => {
    return { ...file, modifiedMs: mtimeMs };
  });
  return [...notes, ...exportedSessions(settings)];
}

function exportedSessions({ collections }: ExtSettings): readonly ExternalDocument[] {
  return collections()
    .filter(({ source }) => source === 'sessions')
    .flatMap(({ name, root }) =>
      namesIn(root).flatMap((file): readonly ExternalDocument[] => {
        if (!file.endsWith('.md')) return [];
        const absolutePath = join(root, file);
        const stats = statSync(absolutePath, { throwIfNoEntry: false });
        if (stats?.isFile() !== true) return [];
        const key: DocumentKey = { source: 'sessions', path: `qmd/${name}/${file}` };
        const { size, mtimeMs } = stats;
        return [{ ...key, kind: 'transcript', size, modifiedMs: mtimeMs, absolutePath }];
      }),
    );
}

/**
 * The program's index as a store that forgetting cleans. It indexes files as they are; answers filter out
 * forgotten text, and the index is clean once the files no longer contain it.
 */
export function externalStore(
  builtin: MemoryStore,
  sources: MemorySources,
  upkeep: {
    /** Exports the conversations again, without forgotten text. */
    readonly exportSessions: (work: WorkOptions) => Promise<unknown>;
    /** Makes the program rescan its files and drop deleted content. @throws ToolFailure */
    readonly cleanUp: (work: WorkOptions) => Promise<void>;
    /** Deletes its index; the next query recreates it. */
    readonly removeIndex: (work: WorkOptions) => Promise<unknown>;
  },
): MemoryStore {
  return {
    follow: async (forgotten, work = {}) => {
      const followed = await builtin.follow(forgotten, work);
      await upkeep.exportSessions(work);
      try {
        await upkeep.cleanUp(work);
      } catch {
        work.signal?.throwIfAborted();
        // Whatever is wrong with the program, text that it cannot remove must not stay.
        await upkeep.removeIndex(work);
      }
      if (!followed.clean || !isInFiles(forgotten, sources)) return followed;
      return { ...followed, clean: false, why: STILL_IN_FILES };
    },
  };
}

const STILL_IN_FILES = {
  message:
    'search results leave it out, but it is still in files that the external search program indexes',
  hint: 'forget it with --from-file, or remove it from the files and run "svc memory index"',
};

/** Whether a file that the program indexes contains forgotten text. */
function isInFiles(forgotten: Forgotten, { memory }: MemorySources): boolean {
  return scanSources({ memory }).files.some((file) => {
    const read = readDocument(file.absolutePath, file.path);
    if (!read.ok) return false;
    const { lines, hash } = read.document;
    return forgotten.hidesDocument(hash) || forgotten.linesIn(lines).size > 0;
  });
}
