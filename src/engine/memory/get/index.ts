/* Lines of documents that are in the index. Loaded by name: output-schemas.ts, for tests and docs. */

export { type ReadContext, readDocumentLines, readFileLines } from './get-document.js';
export * from './named-document.js';
export {
  type GetRequest,
  type GetResponse,
  pageLines,
  type ReadTurn,
  requireAllLines,
  unreadable,
} from './requested-lines.js';
