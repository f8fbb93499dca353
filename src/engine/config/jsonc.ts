// The package's main entry is UMD, whose requires a bundler cannot follow; this is its ES build.
export {
  applyEdits,
  getNodeValue,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser/lib/esm/main.js';
