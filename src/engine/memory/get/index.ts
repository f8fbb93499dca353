/* Lines of documents that are in the index. Loaded by name: output-schemas.ts, for tests and docs. */

export {
  citedPart,
  type FoundDocument,
  type GetRequest,
  type GetResponse,
  type GivenTurn,
  linesHint,
  pageLines,
  unreadable,
} from './asked-lines.js';
export {
  findDocument,
  lookUpDocument,
  ownTarget,
  readFileLines,
  readLines,
} from './get-document.js';
export { lookUpOther, textIn } from './get-shared.js';
