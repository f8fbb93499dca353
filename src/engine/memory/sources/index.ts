/*
 * The files of a memory, and their text. Loaded by name:
 *   transcripts/read-conversation.ts: reading conversations
 *   archive/session-archive.ts: keeping them
 */

export { type ExcludeSettings, Exclusions } from './exclude.js';
export {
  type MediaSelection,
  mediaLabel,
  modalityOfName,
  modalityOfType,
  readMedia,
} from './media.js';
export * from './memory-files.js';
export * from './memory-sources.js';
export { frontMatterEnd, isTag, noteFacts } from './note-facts.js';
export { noteLinks } from './note-links.js';
export { type ExcludeDecision, isIgnoreFile } from './pattern-list.js';
export * from './read-document.js';
export { allSkips, mediaTooLarge, skipOf } from './skips.js';
export * from './text-lines.js';
export { TRANSCRIPT_READERS } from './transcripts/readers/index.js';
export * from './transcripts/transcript-files.js';
export {
  blocksOf,
  type NumberedTurn,
  type TranscriptFile,
  type TranscriptPlace,
  type TranscriptScan,
  type Turn,
  withoutInjections,
} from './transcripts/transcript-reader.js';
export {
  fingerprintOf,
  ignoredFolderIn,
  isIgnoredFolder,
  kindOfName,
  walkFolder,
} from './walk.js';
