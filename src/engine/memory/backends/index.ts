/*
 * What commands call. Loaded by name:
 *   get-document.ts: lines of a document
 *   ext/open-ext.ts: the external search program
 */

export { createBuiltinBackend } from './builtin.js';
export type { ExtStatus } from './ext/ext-status.js';
export type { ExtMode, PreparedExt } from './ext/open-ext.js';
export type { IndexKeeper, IndexKeeperOptions } from './index-keeper.js';
export type {
  BackendStatus,
  Forgetting,
  GetResponse,
  GivenTurn,
  ImportResult,
  IndexState,
  Inspection,
  ListedDocument,
  MemoryBackend,
  ResetResult,
  SharedState,
  Staleness,
  SyncRequest,
  Transfer,
  VectorsState,
  WorkOptions,
} from './memory-backend.js';
