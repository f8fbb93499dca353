import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../../errors/index.js';
import { type ForgetPlaces, readForgotten } from '../../forget/forget-list.js';
import { parseCitation } from '../../search/citation.js';
import { resolveWorkspace } from '../../sources/memory-files.js';
import { type MemorySources, scanSources } from '../../sources/scan-sources.js';
import type { DocumentKey, LineRange } from '../../types.js';
import type {
  GetRequest,
  GetResponse,
  ListedDocument,
  MemoryBackend,
  WorkOptions,
} from '../memory-backend.js';
import { findDocument, lookUpDocument, readFileLines } from '../read-lines.js';
import type { ExtSettings } from './ext-settings.js';
import { findFile } from './find-file.js';

interface ExternalDocument extends ListedDocument {
  readonly absolutePath: string;
}

/** Where documents are looked for, and what is left out of them. */
export interface ExternalDocuments {
  readonly settings: ExtSettings;
  readonly sources: MemorySources;
  readonly forget: ForgetPlaces;
  readonly builtin: Pick<MemoryBackend, 'get'>;
}

/**
 * Reads lines of a file that the program's collections hold, as it is now; no other file, whatever the path
 * says. Takes the paths of results, and `qmd/COLLECTION/PATH`. What the builtin engine cited in the
 * program's place (conversations, images) it gives as well.
 *
 * @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID
 */
export async function getExternal(
  request: GetRequest,
  { settings, sources, forget, builtin }: ExternalDocuments,
  work: WorkOptions,
): Promise<GetResponse> {
  const documents = documentsOf(settings, sources);
  const found = lookUp(request.target, documents, settings, sources);
  if (found === undefined) return givenBelow(builtin, request, documents, sources, work);
  const { document, range } = found;
  const forgotten = await readForgotten(forget);
  const lines = readFileLines(document, document.absolutePath, request, range, forgotten);
  return { ...lines, warnings: [] };
}

async function givenBelow(
  builtin: ExternalDocuments['builtin'],
  request: GetRequest,
  documents: readonly ExternalDocument[],
  { memory }: MemorySources,
  work: WorkOptions,
): Promise<GetResponse> {
  try {
    return await builtin.get(request, work);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'DOCUMENT_NOT_INDEXED') throw error;
    // Names documents of the program that are like it.
    findDocument(documents, resolveWorkspace(memory.workspaceDir), request.target);
    throw error;
  }
}

/** Every file of the collections, by path. */
export function listExternal(
  settings: ExtSettings,
  sources: MemorySources,
): readonly ListedDocument[] {
  return documentsOf(settings, sources)
    .map(({ absolutePath: _, ...document }) => document)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function lookUp(
  target: string,
  documents: readonly ExternalDocument[],
  { collections }: ExtSettings,
  { memory }: MemorySources,
): { readonly document: ExternalDocument; readonly range?: LineRange } | undefined {
  const { path, range } = parseCitation(target);
  const [prefix, name, ...rest] = path.split('/');
  const collection = collections().find((one) => prefix === 'qmd' && one.name === name);
  const file =
    collection === undefined ? undefined : findFile(collection.root, rest.join('/'), () => true);
  const document = documents.find(({ absolutePath }) => absolutePath === file);
  if (document === undefined) {
    return lookUpDocument(documents, resolveWorkspace(memory.workspaceDir), target);
  }
  return range === undefined ? { document } : { document, range };
}

function documentsOf(
  settings: ExtSettings,
  { memory }: MemorySources,
): readonly ExternalDocument[] {
  const notes = scanSources({ memory }).files.map((file) => ({
    source: file.source,
    path: file.path,
    kind: file.kind,
    size: file.size,
    modifiedMs: file.mtimeMs,
    absolutePath: file.absolutePath,
  }));
  return [...notes, ...exportedSessions(settings)];
}

function exportedSessions({ collections }: ExtSettings): readonly ExternalDocument[] {
  return collections()
    .filter(({ source }) => source === 'sessions')
    .flatMap(({ name, root }) =>
      namesIn(root).flatMap((file): readonly ExternalDocument[] => {
        const absolutePath = join(root, file);
        const stats = statSync(absolutePath, { throwIfNoEntry: false });
        if (stats?.isFile() !== true) return [];
        const key: DocumentKey = { source: 'sessions', path: `qmd/${name}/${file}` };
        const { size, mtimeMs } = stats;
        return [{ ...key, kind: 'transcript', size, modifiedMs: mtimeMs, absolutePath }];
      }),
    );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.md'));
  } catch {
    // Nothing was exported yet.
    return [];
  }
}
