/* Lines of documents that are in the index. Loaded by name: output-schemas.ts, for tests and docs. */

export { readDocumentLines, readFileLines } from './get-document.js';
export {
  citedPart,
  type FoundDocument,
  lookUpDocument,
  lookUpIndexed,
  lookUpOther,
  notIndexed,
  ownTarget,
} from './named-document.js';
export {
  type GetRequest,
  type GetResponse,
  linesHint,
  pageLines,
  type ReadTurn,
  unreadable,
} from './requested-lines.js';
