/*
 * Splits text into chunks. Loaded by name:
 *   chunk-turns.ts: conversations
 */

export { type Block, splitBlocks } from './blocks.js';
export { chunkDocument, type Section, sectionsOf } from './chunk-document.js';
export { CHUNKER_VERSION, type ChunkingOptions, chunkMarkdown } from './chunk-markdown.js';
export { CJK, cutAtTokens, estimateTokens, isCjk, withoutFiles } from './tokens.js';
