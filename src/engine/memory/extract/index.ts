/* The text of documents that need a library. Loaded by name: `extract-process.ts`, as a child process. */

export { ExtractedTexts, extractedFolder } from './extracted-texts.js';
