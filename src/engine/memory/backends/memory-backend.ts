import type { Forgetting } from '../forget/index.js';
import type { GetRequest, GetResponse } from '../get/index.js';
import type { ResetResult } from '../home/index.js';
import type {
  BatchJob,
  Origin,
  RefusedMedia,
  VectorExtension,
  VectorSpaceStatistics,
} from '../index/index.js';
import type { Inspection } from '../inspect/inspect-document.js';
import type { ListedDocument } from '../inspect/recent.js';
import type { SearchRequest, SearchResponse } from '../search/index.js';
import type { SyncRequest, SyncSummary, WorkOptions } from '../sync/index.js';
import type { Transfer } from '../transfer/index.js';
import type { StatusOutput } from './output-schemas.js';

/** What the next sync would do. */
export type Staleness = NonNullable<StatusOutput['staleness']>;

export type IndexState = StatusOutput['index'];

export interface VectorsState {
  readonly spaces: readonly (VectorSpaceStatistics & {
    /** False when all its vectors are only cached. */
    readonly inUse: boolean;
  })[];
  /** Those of this host whose vectors have not been collected yet, oldest first. */
  readonly batchJobs: readonly Pick<BatchJob, 'createdMs' | 'identity'>[];
  /** Only on request, because it has to be loaded. */
  readonly extension?: VectorExtension;
}

export interface StatusOptions {
  /** Whether to check that the vector extension loads. */
  readonly extension?: boolean;
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

/** The external backend of one agent, as known without asking the program. */
export type ExtStatus = NonNullable<StatusOutput['ext']>;

/** The complete state of one agent's memory. */
export interface BackendStatus
  extends Pick<
    StatusOutput,
    | 'backend'
    | 'excluded'
    | 'extraPaths'
    | 'faults'
    | 'frontMatter'
    | 'index'
    | 'skipped'
    | 'sources'
    | 'staleness'
    | 'tokenizer'
    | 'watcher'
    | 'workspaceDir'
  > {
  /** Only with the external backend configured; the rest then describes the built-in engine behind it. */
  readonly ext?: ExtStatus;
  readonly indexFile: string;
  /** Undefined when the index is a file. */
  readonly shared?: SharedState | undefined;
  /** Undefined without a usable index. */
  readonly vectors: VectorsState | undefined;
  /** Media that a provider refuses, by path; none when media are not part of the memory. */
  readonly refusedMedia: readonly RefusedMedia[];
}

/** What commands, MCP and active memory use. Implemented by the built-in engine and the external program. */
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
  /** Of the built-in engine's index, whichever backend answers searches. */
  inspection(): Promise<Inspection>;
  /** Deletes the index, never a file of the user's. */
  reset(): Promise<ResetResult>;
  close(): Promise<void>;
}
