import type { BatchJobStore } from '../../embeddings/index.js';
import type { MemoryIndex } from '../index/memory-index.js';

/** The jobs at a vendor's batch API that are kept with an index, for one identity. */
export function batchJobsOf(index: MemoryIndex, identity: string): BatchJobStore {
  return {
    list: () => index.batchJobs(identity),
    save: (job) => index.saveBatchJob({ ...job, identity }),
    remove: (id) => index.removeBatchJob(id),
  };
}
