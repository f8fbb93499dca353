/* Lines of documents that are in the index. Loaded by name: output-schemas.ts, for tests and docs. */

export {
  lookUpDocument,
  lookUpIndexed,
  notIndexed,
  ownTarget,
  readDocumentLines,
  readFileLines,
} from './get-document.js';
export { lookUpOther, textIn } from './get-shared.js';
export {
  citedPart,
  type FoundDocument,
  type GetRequest,
  type GetResponse,
  linesHint,
  pageLines,
  type ReadTurn,
  unreadable,
} from './requested-lines.js';
