import { readCurrent, type Server } from '../../../postgres/index.js';
import type { IndexIdentity, Tokenizer } from '../identity.js';

/** A memory, and the host that uses it. */
export interface SharedMemory {
  readonly agent: string;
  /** The host's name among the origins of the memory. */
  readonly origin: string;
}

/** The ids of a memory and of an origin in it. */
export interface Place {
  readonly memory: number;
  /** 0 for a host that has indexed nothing yet. */
  readonly origin: number;
}

/** What is known of a memory, as one of its hosts uses it, without reading its documents. */
export interface MemoryFacts extends Place {
  readonly tokenizer: Tokenizer;
  /** Changes with everything that a search sees. After a failover or a restore, its number can be repeated, so it has the transaction too. */
  readonly revision: string;
  readonly chunks: number;
  /** Words of all chunks. */
  readonly words: number;
  /** Codes of the languages, other than English, that files are written in. */
  readonly languages: readonly string[];
  readonly sources: readonly string[];
  readonly hasMedia: boolean;
  /** How many hosts have documents in it. */
  readonly origins: number;
  /** What the host's documents were indexed with; undefined without an origin. */
  readonly identity: IndexIdentity | undefined;
  /** Hashes of what the host's last sync saw; null if its files have to be compared with its documents. */
  readonly treePaths: Buffer | null;
  readonly treeFingerprints: Buffer | null;
}

type FactsRow = Omit<MemoryFacts, 'identity' | 'languages' | 'sources'> & {
  readonly languages: string;
  readonly sources: string;
  readonly identity: string | null;
};

/**
 * Reads them, and checks in the same round trip that the tables are still those of this svc.
 *
 * @returns undefined if the memory does not exist
 * @throws SvcError STORAGE_*
 */
export async function readFacts(
  server: Server,
  agent: string,
  originName: string,
): Promise<MemoryFacts | undefined> {
  const [row] = await readCurrent(server, (sql) =>
    sql.query<FactsRow>(SELECT_FACTS, [agent, originName]),
  );
  if (row === undefined) return undefined;
  const identity: IndexIdentity | undefined =
    row.identity === null ? undefined : { ...UNKNOWN_BEFORE, ...JSON.parse(row.identity) };
  return { ...row, identity, languages: wordsIn(row.languages), sources: wordsIn(row.sources) };
}

const SELECT_FACTS = `
  SELECT memories.id AS memory, tokenizer, concat(revision, ' ', memories.xmin) AS revision, chunks, words,
    languages, sources, has_media AS "hasMedia",
    (SELECT count(*) FROM svc.origins WHERE memory = memories.id) AS origins,
    coalesce(own.id, 0) AS origin, own.identity, tree_paths AS "treePaths",
    tree_fingerprints AS "treeFingerprints"
  FROM svc.memories LEFT JOIN svc.origins AS own ON own.memory = memories.id AND own.name = $2
  WHERE agent = $1`;

/** What an older svc did not store. */
const UNKNOWN_BEFORE = { conversationsIn: '', workspace: '' };

function wordsIn(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}
