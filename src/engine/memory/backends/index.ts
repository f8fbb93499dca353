/* What commands call. Loaded by name: ext/open-ext.ts, the external search program. */

export { createBuiltinBackend } from './builtin.js';
export { type Lookup, loggedBackend, type MemoryContext, type OnRecall } from './logged-backend.js';
export type {
  BackendStatus,
  IndexState,
  MemoryBackend,
  SharedState,
  Staleness,
  VectorsState,
} from './memory-backend.js';
