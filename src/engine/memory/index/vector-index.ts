import type { CandidateFilter, SimilaritySample, VectorCandidate } from './candidates.js';
import type {
  EmbeddingEntry,
  IdPage,
  MissingEmbedding,
  MissingMedia,
  MissingMediaCount,
  RefusedContent,
  RefusedMedia,
  StoredEmbedding,
  TidyOptions,
  VectorExtension,
  VectorSpaceStatistics,
} from './embedding-records.js';

/** What an index has of vectors. */
export interface VectorIndex {
  /** The identities whose vectors are in use, not only cached. */
  vectorIdentities(): Promise<readonly string[]>;

  vectorSpaces(): Promise<readonly VectorSpaceStatistics[]>;

  /**
   * Up to `limit` text chunks with ids above `after` that have no vector, by id. Of chunks with equal
   * content only the last is returned; an empty answer means that none are left.
   */
  missingEmbeddings(
    identity: string,
    after: number,
    limit: number,
  ): Promise<readonly MissingEmbedding[]>;

  /** A page of the vectors that notes use, by id. */
  storedEmbeddings(identity: string, page: IdPage): Promise<readonly StoredEmbedding[]>;

  /** Like {@link missingEmbeddings}, for the chunks of media. */
  missingMedia(identity: string, after: number, limit: number): Promise<readonly MissingMedia[]>;

  /** How many of the chunks without a vector are media, and the size of those files. */
  countMissingMedia(identity: string): Promise<MissingMediaCount>;

  /** How many chunks have no vector under an identity. @param atMost stops counting there */
  countMissingEmbeddings(identity: string, atMost?: number): Promise<number>;

  /**
   * Stores vectors, normalised to length 1, in one transaction. Content that already has a vector keeps it, and what
   * no chunk contains is left out.
   *
   * @throws SvcError PROVIDER_ANSWER_INVALID when the lengths under this identity differ
   */
  putEmbeddings(identity: string, entries: readonly EmbeddingEntry[]): Promise<void>;

  /** Records content that the provider refuses, so that it no longer counts as missing. */
  refuseEmbeddings(identity: string, refused: readonly RefusedContent[]): Promise<void>;

  /** The media documents of this host that a provider refused, by path. */
  refusedMedia(): Promise<readonly RefusedMedia[]>;

  /** Deletes vectors that nothing uses, except for a cache of the most recently used ones. */
  tidyEmbeddings(options: TidyOptions): Promise<void>;

  /**
   * The chunks nearest to a query vector, best first; ties by path and line.
   *
   * @throws SvcError PROVIDER_ANSWER_INVALID when the query has another length than the vectors
   */
  vectorCandidates(
    identity: string,
    query: Float32Array,
    limit: number,
    filter?: CandidateFilter,
  ): Promise<readonly VectorCandidate[]>;

  /** Cosines between given chunks and a query; chunks without a vector are absent. */
  similarities(
    identity: string,
    query: Float32Array,
    chunkIds: readonly number[],
  ): Promise<ReadonlyMap<number, number>>;

  /** Cosines between the query and up to `count` texts and as many media, as a baseline of chance similarity. */
  sampleSimilarities(
    identity: string,
    query: Float32Array,
    count: number,
  ): Promise<SimilaritySample>;

  /** Tries to load the vector extension. */
  vectorExtension(): Promise<VectorExtension>;
}

/** The same, loaded when it is first used: most keyword-only indexes have no vectors. */
export function lazyVectors(load: () => Promise<VectorIndex>): VectorIndex {
  let loading: Promise<VectorIndex> | undefined;
  const vectors = (): Promise<VectorIndex> => {
    loading ??= load();
    return loading;
  };
  return {
    vectorIdentities: async (...args) => (await vectors()).vectorIdentities(...args),
    vectorSpaces: async (...args) => (await vectors()).vectorSpaces(...args),
    missingEmbeddings: async (...args) => (await vectors()).missingEmbeddings(...args),
    storedEmbeddings: async (...args) => (await vectors()).storedEmbeddings(...args),
    missingMedia: async (...args) => (await vectors()).missingMedia(...args),
    countMissingMedia: async (...args) => (await vectors()).countMissingMedia(...args),
    countMissingEmbeddings: async (...args) => (await vectors()).countMissingEmbeddings(...args),
    putEmbeddings: async (...args) => (await vectors()).putEmbeddings(...args),
    refuseEmbeddings: async (...args) => (await vectors()).refuseEmbeddings(...args),
    refusedMedia: async (...args) => (await vectors()).refusedMedia(...args),
    tidyEmbeddings: async (...args) => (await vectors()).tidyEmbeddings(...args),
    vectorCandidates: async (...args) => (await vectors()).vectorCandidates(...args),
    similarities: async (...args) => (await vectors()).similarities(...args),
    sampleSimilarities: async (...args) => (await vectors()).sampleSimilarities(...args),
    vectorExtension: async (...args) => (await vectors()).vectorExtension(...args),
  };
}
