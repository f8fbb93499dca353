import type { Warning } from '../../errors/index.js';
import type { ForgetEntry } from '../forget/forget-list.js';
import type { ForgetPlan, ForgetRequest, Undone } from '../forget/forget-plan.js';
import type { Forgotten } from '../forget/forgotten.js';
import type { MemoryStore } from '../forget/memory-store.js';
import type { RefusedMedia } from '../index/media-index.js';
import type { IndexStatistics, VectorSpaceStatistics } from '../index/memory-index.js';
import type { VectorExtension } from '../index/vectors/extension.js';
import type { BackendName, SearchRequest, SearchResponse } from '../search/types.js';
import type { SyncEvent, SyncSummary } from '../sync/events.js';
import type { ExportTally } from '../transfer/export-memory.js';
import type { ImportedFiles, ImportPlan } from '../transfer/import-memory.js';
import type { ExistingFiles } from '../transfer/land-documents.js';
import type {
  DocumentKey,
  DocumentKind,
  LineRange,
  Modality,
  SkippedFile,
  Source,
} from '../types.js';
import type { WatchRecord } from '../watch/watch-record.js';
import type { ExtStatus } from './ext/ext-status.js';

/** How work that may take long is watched and ended. */
export interface WorkOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: SyncEvent) => void) | undefined;
  /** This is the first that a session asks: see `sync.onSessionStart`. */
  readonly sessionStarts?: boolean | undefined;
}

/** How an index is brought up to date. */
export interface SyncRequest extends WorkOptions {
  /** Build anew even when nothing asks for it. */
  readonly force?: boolean;
  /** How long to wait for another process that writes the index, in milliseconds; ten minutes. */
  readonly lockWaitMs?: number;
  /** Leave transcripts for later that have grown by little (`sync.sessions`). */
  readonly defersSmallGrowth?: boolean;
  /** A watcher asks, of its own accord: what is done at an interval of its own waits for that. */
  readonly isUpkeep?: boolean;
  /** False leaves passages without vectors, and asks no provider. */
  readonly embeds?: boolean;
}

/** Which lines of which document. */
export interface GetRequest {
  /** A displayed path, an absolute path, or a citation `path#L3-L5`. */
  readonly target: string;
  /** 1-based first line; the citation's, else 1. */
  readonly from?: number;
  /** How many lines; the citation's, else up to the limit. */
  readonly lines?: number;
}

/** What somebody said in a conversation. */
export interface GivenTurn {
  /** The transcript's line that says it, 1-based. */
  readonly line: number;
  readonly role: 'assistant' | 'user';
  /** ISO 8601; null where the transcript has no time. */
  readonly at: string | null;
  /** Cleaned, secrets masked; with the line ends it was written with. */
  readonly text: string;
  /** False for those that only stand around what was asked for. */
  readonly asked: boolean;
}

/**
 * Lines of an indexed document, as they stand in the file now. Of a transcript, the turns in its lines:
 * `text` has one line a turn.
 */
export interface GetResponse extends LineRange {
  readonly path: string;
  readonly absolutePath: string;
  readonly source: Source;
  readonly kind: DocumentKind;
  /** Of an image or a recording: what is known of it, which {@link text} says too. */
  readonly media?: MediaDetails;
  readonly text: string;
  readonly totalLines: number;
  /** True when more lines were asked for than are given at once. */
  readonly truncated: boolean;
  /** Only of a transcript. */
  readonly turns?: readonly GivenTurn[];
  readonly warnings: readonly Warning[];
}

/** What is known of an image or a recording. */
export interface MediaDetails {
  readonly mimeType: string;
  readonly bytes: number;
  /** ISO 8601. */
  readonly modified: string;
  /** The provider's words when it does not take the file; null otherwise. */
  readonly refused: string | null;
}

/** A document that the index covers. */
export interface ListedDocument extends DocumentKey {
  readonly kind: DocumentKind;
  /** Bytes of its file. */
  readonly size: number;
  /** When its file was changed last, in milliseconds since the epoch. */
  readonly modifiedMs: number;
}

/** What is out of date right now: what the next sync would do. */
export interface Staleness {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Some of the paths behind the counts, for people. */
  readonly examples: readonly string[];
}

/** The state of the index behind a backend. */
export type IndexState =
  | { readonly state: 'missing' }
  | { readonly state: 'unusable'; readonly why: string }
  | {
      readonly state: 'ready';
      readonly statistics: IndexStatistics;
      /** Why the next sync will build it anew; undefined when it will not. */
      readonly rebuildBecause?: string;
    };

/** What a reset did. */
export interface ResetResult {
  /** False when there was no index. */
  readonly deleted: boolean;
  /** Bytes freed on disk. */
  readonly bytes: number;
}

/** The vectors of an index as they are. */
export interface VectorsState {
  readonly spaces: readonly (VectorSpaceStatistics & {
    /** False when all its vectors are only kept for the day that its identity is configured again. */
    readonly inUse: boolean;
  })[];
  /** Only when asked for: to tell, it has to be loaded. */
  readonly extension?: VectorExtension;
}

/** What a status is to tell besides what costs little. */
export interface StatusOptions {
  /** Whether the vector extension can be loaded. */
  readonly extension?: boolean;
}

/** The images and recordings of a memory. */
export interface MediaState {
  readonly modalities: readonly Modality[];
  readonly maxFileBytes: number;
  /** Those that a provider does not take, by path, under the identity it was asked by. */
  readonly refused: readonly RefusedMedia[];
}

/** The whole truth about one agent's memory. */
export interface BackendStatus {
  /** Who would answer now. */
  readonly backend: BackendName;
  /** Only where the external backend is configured; the rest is about the builtin engine below it then. */
  readonly ext?: ExtStatus;
  readonly workspaceDir: string;
  readonly indexFile: string;
  readonly index: IndexState;
  /** Undefined when the workspace cannot be read (see faults). */
  readonly staleness: Staleness | undefined;
  readonly sources: readonly Source[];
  readonly extraPaths: readonly string[];
  readonly tokenizer: string;
  /** Undefined where there is no index that can be used. */
  readonly vectors: VectorsState | undefined;
  /** Undefined where images and recordings are no part of the memory. */
  readonly media: MediaState | undefined;
  /** Files that exist and cannot be indexed. */
  readonly skipped: readonly SkippedFile[];
  /** The process that keeps the index fresh; undefined where there is none. */
  readonly watcher: WatchRecord | undefined;
  readonly faults: readonly Warning[];
}

/** Taking passages out of memory for good; see forget/. */
export interface Forgetting {
  /** Finds what would go. @throws SvcError DOCUMENT_NOT_INDEXED, RANGE_INVALID, FORGET_NOTHING */
  plan(request: ForgetRequest, options?: WorkOptions): Promise<ForgetPlan>;
  /**
   * Puts what was planned on the list of what is forgotten, and takes it out of the files when asked
   * to. Stores follow; see memory-store.ts.
   *
   * @throws SvcError FORGET_OUTDATED, FORGET_FAILED
   */
  hide(
    plan: ForgetPlan,
    how: { readonly fromFile: boolean },
    options?: WorkOptions,
  ): Promise<ForgetEntry>;
  /** Takes an entry off the list. @throws SvcError FORGET_ID_UNKNOWN, FORGET_FAILED */
  undo(id: string, options?: WorkOptions): Promise<Undone>;
  /** All that is forgotten now. */
  forgotten(): Promise<Forgotten>;
  /** The list, oldest first. */
  entries(): Promise<readonly ForgetEntry[]>;
  /** The index and its cache of vectors. */
  readonly store: MemoryStore;
}

/** What came of an export. */
export interface ExportResult extends Readonly<ExportTally> {
  readonly warnings: readonly Warning[];
}

/** What came of an import. */
export interface ImportResult extends ImportedFiles {
  /** How many files were there already, with the same content. */
  readonly same: number;
  /** How many of the documents the index does not cover where they are now. */
  readonly notIndexed: number;
  /** How many vectors found a passage. */
  readonly vectors: number;
}

/** Taking a memory out as one file, and in again; see transfer/. */
export interface Transfer {
  /** Gives an export line by line. @param write takes a line, its end included */
  export(
    how: { readonly agent: string | null; readonly vectors: boolean },
    write: (line: string) => Promise<void>,
    options?: WorkOptions,
  ): Promise<ExportResult>;
  /**
   * Reads a whole export and looks at where it would land; writes nothing.
   *
   * @param into the folder; the workspace when left out
   * @throws SvcError IMPORT_INVALID, IMPORT_FAILED
   */
  planImport(file: string, into?: string): Promise<ImportPlan>;
  /** Writes what was planned, and indexes it. @throws SvcError IMPORT_CONFLICT, IMPORT_FAILED */
  import(plan: ImportPlan, existing: ExistingFiles, options?: WorkOptions): Promise<ImportResult>;
}

/**
 * What commands, MCP and active memory call. The builtin engine and the external search tool stand
 * behind it.
 */
export interface MemoryBackend {
  /** Answers from memory, after bringing the index up to date when configured (`sync.onSearch`). */
  search(request: SearchRequest, options?: WorkOptions): Promise<SearchResponse>;
  /** @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID */
  get(request: GetRequest, options?: WorkOptions): Promise<GetResponse>;
  /** Everything the index covers, by path. */
  list(options?: WorkOptions): Promise<readonly ListedDocument[]>;
  sync(options: SyncRequest): Promise<SyncSummary>;
  status(options?: StatusOptions): Promise<BackendStatus>;
  forgetting(): Promise<Forgetting>;
  transfer(): Promise<Transfer>;
  /** Deletes the index, never a file of the person's. */
  reset(): Promise<ResetResult>;
  close(): Promise<void>;
}
