import { join } from 'node:path';
import { createBuiltinBackend } from '../../src/engine/memory/backends/builtin.js';
import type { MemoryBackend } from '../../src/engine/memory/backends/memory-backend.js';
import { createFileHome } from '../../src/engine/memory/home/file-home.js';
import type { Tokenizer } from '../../src/engine/memory/index/identity.js';
import type { MemoryIndex } from '../../src/engine/memory/index/memory-index.js';
import type { KeptIndex } from '../../src/engine/memory/keeper/sync-index.js';
import type { SearchOptions, SearchResponse } from '../../src/engine/memory/search/types.js';
import type { ExcludeSettings } from '../../src/engine/memory/sources/exclude.js';
import type { MediaSelection } from '../../src/engine/memory/sources/media.js';
import type { TranscriptSources } from '../../src/engine/memory/sources/transcripts/transcript-files.js';
import type { DocumentFormat } from '../../src/engine/support/document-format.js';
import { tempFolder } from './temp-folder.js';
import { openReadyIndex } from './vector-index.js';

/** How a target of a test differs from an ordinary one. */
export interface TargetOptions {
  readonly layout?: 'agent' | 'folder';
  readonly extraPaths?: readonly string[];
  readonly exclude?: ExcludeSettings;
  readonly media?: MediaSelection;
  readonly documents?: readonly DocumentFormat[];
  readonly librariesDir?: string;
  readonly tokenizer?: Tokenizer;
  readonly tokens?: number;
  readonly overlap?: number;
  readonly indexFile?: string;
  readonly transcripts?: TranscriptSources;
}

/** An index, in a folder of its own, of a workspace. */
export function targetOf(workspaceDir: string, options: TargetOptions = {}): KeptIndex {
  const state = tempFolder();
  const indexFile = options.indexFile ?? join(state.path, 'index.sqlite');
  const listFile = join(state.path, 'forgotten.json');
  return {
    indexFile,
    home: createFileHome({ indexFile, vectors: { enabled: true }, listFile }),
    settings: {
      chunking: { tokens: options.tokens ?? 400, overlap: options.overlap ?? 80 },
      tokenizer: options.tokenizer ?? 'unicode61',
      workspace: workspaceDir,
    },
    forget: { listFile, backupDir: join(state.path, 'backups') },
    sources: {
      memory: {
        workspaceDir,
        layout: options.layout ?? 'folder',
        extraPaths: options.extraPaths ?? [],
        exclude: options.exclude ?? { patterns: [] },
        media: options.media,
        documents: options.documents,
      },
      transcripts: options.transcripts,
    },
    librariesDir: options.librariesDir ?? join(state.path, 'libraries'),
  };
}

/** The builtin backend on a target, with the defaults of the configuration. */
export function backendOn(
  target: KeptIndex,
  {
    syncOnSearch = true,
    search = {},
    now = Date.now,
  }: {
    readonly syncOnSearch?: boolean;
    readonly search?: Partial<Pick<SearchOptions, 'halfLifeDays' | 'mmrLambda'>>;
    readonly now?: () => number;
  } = {},
): MemoryBackend {
  return createBuiltinBackend({
    target,
    search: {
      citations: 'auto',
      snippetChars: 800,
      candidateMultiplier: 4,
      maxResults: 6,
      minScore: 0.35,
      shares: { text: 0.3, vector: 0.7 },
      hybrid: true,
      halfLifeDays: undefined,
      mmrLambda: undefined,
      ...search,
    },
    syncOnSearch,
    clock: { now },
    providers: undefined,
    cacheEntries: 0,
  });
}

/** Opens an index for writing, works on it, and closes it. */
export async function onIndex<T>(
  { indexFile }: KeptIndex,
  work: (index: MemoryIndex) => Promise<T>,
): Promise<T> {
  const index = openReadyIndex(indexFile);
  try {
    return await work(index);
  } finally {
    index.close();
  }
}

/** The paths that an answer names, best first; of passages that say the same, the others after the best. */
export function pathsOf(response: SearchResponse): string[] {
  return response.results.flatMap(({ path, similar = [] }) => [
    path,
    ...similar.map((passage) => passage.path),
  ]);
}

/** The codes of the warnings of an answer or a document. */
export function warningCodes({
  warnings = [],
}: {
  readonly warnings?: readonly { readonly code: string }[] | undefined;
}): string[] {
  return warnings.map(({ code }) => code);
}
