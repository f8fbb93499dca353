import type { LoadedConfig, ResolvedConfig } from '../../config/index.js';
import type { Clock, EngineContext } from '../../support/context.js';
import type { ForgetList } from '../forgotten/index.js';
import type { MemoryIndex, OpenedIndex, Origin, OtherDocument } from '../index/index.js';
import type { SyncRun, SyncSummary } from '../sync/index.js';
import type { Chunk, ForgottenPlace } from '../types.js';

/**
 * Where the index of a memory is kept: in a file of this host, or on a server that several hosts share. What writes is
 * for the holder of this host's lock (sync/index-lock.ts).
 */
export interface IndexHome {
  /** Opens the index to read it. The caller closes it. @throws SvcError INDEX_*, STORAGE_* */
  open(): Promise<OpenedIndex<MemoryIndex>>;
  /** Whether an index that was opened to read was made by the forget list as it is now. */
  followsForgetList(index: MemoryIndex): boolean;
  /** Whether an index that was opened to read is still the one that is here. */
  isCurrent(index: MemoryIndex): boolean;
  /** Opens the index to write it; undefined if there is none. The caller closes it. */
  openToWrite(): Promise<MemoryIndex | undefined>;
  /** Makes the index mirror the scanned files, without vectors; undefined if that has to wait until nobody embeds. */
  mirror(run: SyncRun): Promise<SyncSummary | undefined>;
  /** What is kept out of memory; undefined if nothing ever was. @throws SvcError FORGET_LIST_INVALID */
  readForgetList(): Promise<ForgetList | undefined>;
  /**
   * Replaces the list, and makes the next sync read every file again.
   *
   * @param now what is forgotten now
   * @throws SvcError FORGET_FAILED, FORGET_OUTDATED
   */
  writeForgetList(list: ForgetList, now?: ForgottenNow): Promise<void>;
  /** Whether forgotten content may still be in the index. */
  isScrubPending(): Promise<boolean>;
  /** Deletes what this host indexed, never a file of the user's. Takes the lock itself. */
  reset(clock: Clock): Promise<ResetResult>;
  /** The other hosts of a shared memory; undefined for a file. */
  readonly others?: OtherHosts | undefined;
}

/** What was just forgotten. It is not stored. */
export interface ForgottenNow {
  /** Lines in plain text. */
  readonly traces: readonly string[];
  /** Where this host has it. */
  readonly places: readonly ForgottenPlace[];
}

/** The hosts of a shared memory, and what the others have indexed. */
export interface OtherHosts {
  /** The memory, and this host in it. */
  readonly place: SharedPlace;
  /** The server as `host:port/database`. Does not connect. @throws SvcError SECRET_UNRESOLVED */
  server(): Promise<string>;
  /**
   * Calls back when the server answers again after it was lost: after a failover or a restore, it can lack what this
   * host indexed last. Does not connect.
   *
   * @returns ends it
   * @throws SvcError SECRET_UNRESOLVED
   */
  onReconnected(callback: () => void): Promise<() => void>;
  /** All hosts, with this one, by name. @throws SvcError STORAGE_* */
  list(): Promise<readonly Origin[]>;
  /**
   * The documents of the others, by path.
   *
   * @param names only those with one of these paths, or one of these names with their host
   * @throws SvcError STORAGE_*
   */
  documents(names?: readonly string[]): Promise<readonly OtherDocument[]>;
  /** The chunks of one of them, in order. @throws SvcError STORAGE_* */
  chunksOf(document: Pick<OtherDocument, 'origin' | 'path' | 'source'>): Promise<readonly Chunk[]>;
}

/** What a reset deleted. */
export interface ResetResult {
  readonly deleted: boolean;
  readonly bytes: number;
  /** Of a shared index: how many documents of this host were in it. */
  readonly documents?: number;
}

/** A memory that several hosts share, and this host's name in it. */
export interface SharedPlace {
  /** The agent's id, by which hosts share it. */
  readonly agent: string;
  readonly origin: string;
  readonly config: Pick<ResolvedConfig, 'secrets' | 'storage'>;
}

/** Where an agent's memory is shared; undefined without `storage.url`. */
export function sharedPlace(
  agent: string,
  { resolved: { secrets, storage } }: Pick<LoadedConfig, 'resolved'>,
  { hostName }: Pick<EngineContext, 'hostName'>,
): SharedPlace | undefined {
  if (storage.url === undefined) return undefined;
  return { agent, origin: storage.origin ?? originOf(hostName), config: { secrets, storage } };
}

const LONGEST = 63;

/** A host name in the form that `storage.origin` must have. */
function originOf(hostName = ''): string {
  const fitting = hostName.replaceAll(/[^A-Za-z0-9._-]+/gu, '-').replace(/^[._-]+/u, '');
  return fitting.slice(0, LONGEST) || 'host';
}
