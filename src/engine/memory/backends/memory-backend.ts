import type { Warning } from '../../errors/index.js';
import type {
  ForgetEntry,
  ForgetPlace,
  ForgetPlan,
  ForgetRequest,
  Forgotten,
  MemoryStore,
  Undone,
} from '../forget/index.js';
import type {
  IndexStatistics,
  Origin,
  RefusedMedia,
  VectorExtension,
  VectorSpaceStatistics,
} from '../index/index.js';
import type { DocumentLinks, InspectedDocument, LinkMap } from '../inspect/index.js';
import type { SearchRequest, SearchResponse } from '../search/index.js';
import type { SyncEvent, SyncSummary } from '../sync/index.js';
import type { ExistingFiles, ExportTally, ImportedFiles, ImportPlan } from '../transfer/index.js';
import type { DocumentKey, DocumentKind, Modality } from '../types.js';
import type { WatchRecord } from '../watch/index.js';
import type { ExtStatus } from './ext/ext-status.js';
import type { GetOutput, ResetOutput, StatusOutput } from './output-schemas.js';

export interface WorkOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: SyncEvent) => void) | undefined;
  /** This is the first query of a session: see `sync.onSessionStart`. */
  readonly sessionStarts?: boolean | undefined;
  /**
   * False answers from an existing index as it is, without checking all files for changes: for a preview, which does not
   * count as opened.
   */
  readonly checksFiles?: boolean | undefined;
}

export interface SyncRequest extends WorkOptions {
  /** Rebuild from scratch. */
  readonly force?: boolean;
  /** Rebuild because the index turned out to be damaged; for people: what is wrong with it. */
  readonly damage?: string;
  /** With `force`, and without a cache: also re-embed every passage. Existing vectors are used until that is done. */
  readonly reembeds?: boolean;
  /** How long to wait for another writer, in milliseconds; ten minutes by default. */
  readonly lockWaitMs?: number;
  /** Skip transcripts that have grown only a little (`sync.sessions`). */
  readonly defersSmallGrowth?: boolean | undefined;
  /** Requested by a watcher: work with its own interval waits for that interval. */
  readonly isUpkeep?: boolean;
  /** False skips embedding. */
  readonly embeds?: boolean;
}

export interface GetRequest {
  /** A displayed path, an absolute path, or a citation `path#L3-L5`. */
  readonly target: string;
  /** 1-based first line; defaults to the citation's, else 1. */
  readonly from?: number;
  /** How many lines; defaults to the citation's, else up to the limit. */
  readonly lines?: number;
}

/** A turn of a conversation. */
export type GivenTurn = NonNullable<GetOutput['turns']>[number];

/** Current lines of an indexed document. For a transcript, its turns: `text` has one line per turn. */
export interface GetResponse extends GetOutput {
  /** Undefined for a file of another host. */
  readonly absolutePath: string | undefined;
  readonly warnings: readonly Warning[];
}

/** An indexed document. */
export interface ListedDocument extends DocumentKey {
  readonly kind: DocumentKind;
  readonly size: number;
  /** Modification time in milliseconds since the epoch. */
  readonly modifiedMs: number;
}

/** What the next sync would do. */
export type Staleness = NonNullable<StatusOutput['staleness']>;

export type IndexState =
  | { readonly state: 'missing' }
  | { readonly state: 'unusable'; readonly why: string }
  | {
      readonly state: 'ready';
      readonly statistics: IndexStatistics;
      /** Why the next sync will rebuild it; absent when it will not. */
      readonly rebuildBecause?: string;
    };

export type ResetResult = Pick<ResetOutput['agents'][number], 'bytes' | 'deleted' | 'documents'>;

export interface VectorsState {
  readonly spaces: readonly (VectorSpaceStatistics & {
    /** False when all its vectors are only cached. */
    readonly inUse: boolean;
  })[];
  /** Only on request, because it has to be loaded. */
  readonly extension?: VectorExtension;
}

export interface StatusOptions {
  /** Whether to check that the vector extension loads. */
  readonly extension?: boolean;
}

export interface MediaState {
  readonly modalities: readonly Modality[];
  readonly maxFileBytes: number;
  /** Files that a provider refuses, by path. */
  readonly refused: readonly RefusedMedia[];
}

/** Where a memory is that several hosts share. */
export interface SharedState {
  /** `host:port/database`. */
  readonly server: string;
  /** The name of this host in it. */
  readonly origin: string;
  /** All hosts, by name; undefined if the server cannot be used (see faults). */
  readonly origins: readonly Origin[] | undefined;
}

/** The complete state of one agent's memory. */
export interface BackendStatus
  extends Pick<
    StatusOutput,
    | 'backend'
    | 'excluded'
    | 'extraPaths'
    | 'frontMatter'
    | 'skipped'
    | 'sources'
    | 'tokenizer'
    | 'workspaceDir'
  > {
  /** Only with the external backend configured; the rest then describes the builtin engine behind it. */
  readonly ext?: ExtStatus;
  readonly indexFile: string;
  readonly index: IndexState;
  /** Undefined when the index is a file. */
  readonly shared?: SharedState | undefined;
  /** Undefined when the workspace cannot be read (see faults). */
  readonly staleness: Staleness | undefined;
  /** Undefined without a usable index. */
  readonly vectors: VectorsState | undefined;
  /** Undefined when media are not part of the memory. */
  readonly media: MediaState | undefined;
  /** The process that keeps the index fresh, if any. */
  readonly watcher: WatchRecord | undefined;
  readonly faults: readonly Warning[];
}

/** Permanently removes passages from memory; see forget/. */
export interface Forgetting {
  /**
   * Finds what would be forgotten.
   *
   * @throws SvcError DOCUMENT_NOT_INDEXED, RANGE_INVALID, FORGET_NOTHING
   */
  plan(request: ForgetRequest, options?: WorkOptions): Promise<ForgetPlan>;
  /**
   * Adds the plan to the forget list, and removes it from the files if requested. Stores are cleaned
   * afterwards.
   *
   * @throws SvcError FORGET_OUTDATED, FORGET_FAILED
   */
  hide(
    plan: ForgetPlan,
    how: { readonly fromFile: boolean },
    options?: WorkOptions,
  ): Promise<ForgetEntry>;
  /** Where the current files still contain planned text. */
  remains(plan: ForgetPlan, options?: WorkOptions): Promise<readonly ForgetPlace[]>;
  /**
   * Removes an entry from the list.
   *
   * @throws SvcError FORGET_ID_UNKNOWN, FORGET_FAILED
   */
  undo(id: string, options?: WorkOptions): Promise<Undone>;
  forgotten(): Promise<Forgotten>;
  /** The list, oldest first. */
  entries(): Promise<readonly ForgetEntry[]>;
  /** The index and its cache of vectors. */
  readonly store: MemoryStore;
}

export interface ExportResult extends Readonly<ExportTally> {
  readonly warnings: readonly Warning[];
}

export interface ImportResult extends ImportedFiles {
  /** Files that already existed with the same content. */
  readonly same: number;
  /** Documents that the index does not cover at their new location. */
  readonly notIndexed: number;
  /** Vectors that match a passage. */
  readonly vectors: number;
}

/** Exports and imports a memory as one file; see transfer/. */
export interface Transfer {
  /**
   * Produces an export line by line.
   *
   * @param write takes a line including its end
   */
  export(
    how: { readonly agent: string | null; readonly vectors: boolean },
    write: (line: string) => Promise<void>,
    options?: WorkOptions,
  ): Promise<ExportResult>;
  /**
   * Reads a whole export and checks its target; writes nothing.
   *
   * @param into the folder; defaults to the workspace
   * @throws SvcError IMPORT_INVALID, IMPORT_FAILED
   */
  planImport(file: string, into?: string): Promise<ImportPlan>;
  /**
   * Writes the planned files and indexes them.
   *
   * @throws SvcError IMPORT_CONFLICT, IMPORT_FAILED
   */
  import(plan: ImportPlan, existing: ExistingFiles, options?: WorkOptions): Promise<ImportResult>;
}

/** Shows what the index has of a memory; see inspect/. */
export interface Inspection {
  /** The links between its notes. */
  links(work?: WorkOptions): Promise<LinkMap>;
  /**
   * The links of one note.
   *
   * @param target a path or a citation
   * @throws SvcError DOCUMENT_NOT_INDEXED
   */
  linksOf(target: string, work?: WorkOptions): Promise<DocumentLinks>;
  /**
   * What is stored of a file, or of the lines of a citation; undefined if it is not in the index.
   *
   * @param target a path or a citation
   */
  document(target: string, work?: WorkOptions): Promise<InspectedDocument | undefined>;
}

/** What commands, MCP and active memory use. Implemented by the builtin engine and the external program. */
export interface MemoryBackend {
  /** Searches, after updating the index when configured (`sync.onSearch`). */
  search(request: SearchRequest, options?: WorkOptions): Promise<SearchResponse>;
  /** @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID */
  get(request: GetRequest, options?: WorkOptions): Promise<GetResponse>;
  /** All indexed documents, by path. */
  list(options?: WorkOptions): Promise<readonly ListedDocument[]>;
  sync(options: SyncRequest): Promise<SyncSummary>;
  status(options?: StatusOptions): Promise<BackendStatus>;
  forgetting(): Promise<Forgetting>;
  transfer(): Promise<Transfer>;
  /** Of the builtin engine's index, whichever backend answers searches. */
  inspection(): Promise<Inspection>;
  /** Deletes the index, never a file of the user's. */
  reset(): Promise<ResetResult>;
  close(): Promise<void>;
}
