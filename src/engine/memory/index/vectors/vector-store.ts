import type { Connection } from '../../../sqlite/database.js';
import type {
  MediaSample,
  MissingMedia,
  MissingMediaCount,
  RefusedContent,
  RefusedMedia,
} from '../media-index.js';
import type {
  BatchJob,
  EmbeddingEntry,
  IdPage,
  MissingEmbedding,
  StoredEmbedding,
  TidyOptions,
  VectorCandidate,
  VectorSpaceStatistics,
} from '../memory-index.js';
import { batchJobs, removeBatchJob, saveBatchJob } from './batch-jobs.js';
import { chunkVectors } from './chunk-vectors.js';
import { loadVectorExtension, type VectorExtension } from './extension.js';
import {
  countMissing,
  countMissingMedia,
  missingEmbeddings,
  missingMedia,
  spaceStatistics,
} from './missing-embeddings.js';
import { NearestVectors } from './nearest.js';
import { putEmbeddings } from './put-embeddings.js';
import { refusedMedia, refuseEmbeddings } from './refuse-embeddings.js';
import { sampleMedia, sampleSimilarities } from './sample-similarities.js';
import { allSpaces, findSpace, requireDimensions } from './spaces.js';
import { storedVectors } from './stored-vectors.js';
import { tidyEmbeddings } from './tidy-embeddings.js';
import { cosine, unitVector } from './vector-bytes.js';
import { vectorCandidates } from './vector-candidates.js';
import type { VectorSettings } from './vector-settings.js';

/** The vectors in an index database; what the methods do is told by the port, VectorIndex. */
export class VectorStore {
  private readonly database: Connection;
  private readonly settings: VectorSettings;
  private readonly nearest: NearestVectors;
  private loaded: VectorExtension | undefined;

  constructor(database: Connection, settings: VectorSettings) {
    this.database = database;
    this.settings = settings;
    this.nearest = new NearestVectors(database, () => this.extension().loaded);
  }

  identities(): string[] {
    return allSpaces(this.database)
      .filter((space) => space.inUse)
      .map((space) => space.identity);
  }

  spaces(): VectorSpaceStatistics[] {
    return spaceStatistics(this.database);
  }

  missing(identity: string, after: number, limit: number): MissingEmbedding[] {
    return missingEmbeddings(this.database, identity, after, limit);
  }

  stored(identity: string, page: IdPage): StoredEmbedding[] {
    return storedVectors(this.database, identity, page);
  }

  missingMedia(identity: string, after: number, limit: number): MissingMedia[] {
    return missingMedia(this.database, identity, after, limit);
  }

  countMissingMedia(identity: string): MissingMediaCount {
    return countMissingMedia(this.database, identity);
  }

  countMissing(identity: string): number {
    return countMissing(this.database, identity);
  }

  put(identity: string, entries: readonly EmbeddingEntry[]): void {
    putEmbeddings(this.database, identity, entries);
  }

  refuse(identity: string, refused: readonly RefusedContent[]): void {
    refuseEmbeddings(this.database, identity, refused);
  }

  refusedMedia(): RefusedMedia[] {
    return refusedMedia(this.database);
  }

  tidy(options: TidyOptions): void {
    tidyEmbeddings(this.database, options);
  }

  /** @param documents JSON array of the ids of the documents to search; undefined for all */
  candidates(
    identity: string,
    query: Float32Array,
    limit: number,
    documents: string | undefined,
  ): VectorCandidate[] {
    const space = findSpace(this.database, identity);
    if (space === undefined) return [];
    requireDimensions(space.dimensions, query.length);
    const unit = unitVector(query);
    // One transaction, so that all it reads is of one moment, whoever writes meanwhile.
    const ask = this.database.transaction(() =>
      vectorCandidates(this.database, this.nearest, space, unit, limit, documents),
    );
    return ask();
  }

  similarities(
    identity: string,
    query: Float32Array,
    chunkIds: readonly number[],
  ): Map<number, number> {
    const space = findSpace(this.database, identity);
    if (space === undefined) return new Map();
    const unit = unitVector(query);
    const vectors = chunkVectors(this.database, space, chunkIds);
    return new Map(Array.from(vectors, ([id, vector]) => [id, cosine(unit, vector)]));
  }

  sample(identity: string, query: Float32Array, count: number): number[] {
    const space = findSpace(this.database, identity);
    if (space === undefined) return [];
    return sampleSimilarities(this.database, space, unitVector(query), count);
  }

  sampleMedia(identity: string, query: Float32Array, count: number): MediaSample {
    const space = findSpace(this.database, identity);
    return sampleMedia(this.database, space, unitVector(query), count);
  }

  /** Loads the extension on first use. */
  extension(): VectorExtension {
    this.loaded ??= loadVectorExtension(this.database, this.settings);
    return this.loaded;
  }

  batchJobs(identity: string): BatchJob[] {
    return batchJobs(this.database, identity);
  }

  saveBatchJob(job: BatchJob): void {
    saveBatchJob(this.database, job);
  }

  removeBatchJob(id: string): void {
    removeBatchJob(this.database, id);
  }
}
