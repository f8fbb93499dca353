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
export {
  absoluteFromDisplay,
  countNotesOutside,
  displayPath,
  MEMORY_FOLDER,
  type MemoryFilesOptions,
  type NotMemory,
  ROOT_FILES,
  removeStrays,
  resolveWorkspace,
  type Scan,
  scanMemoryFiles,
  whyNoMemory,
} from './memory-files.js';
export {
  archiveSettings,
  excludeSettings,
  librariesDir,
  type MemorySources,
  memorySourcesOf,
  scanSources,
  searchedSources,
  transcriptSources,
  withArchive,
} from './memory-sources.js';
export { frontMatterEnd, isTag, noteFacts } from './note-facts.js';
export { noteLinks } from './note-links.js';
export { type ExcludeDecision, isIgnoreFile } from './pattern-list.js';
export {
  type BytesOutcome,
  type DocumentText,
  DREAM_REPORTS,
  type DreamBlock,
  documentOf,
  type FileBytes,
  hashOf,
  linesWithoutOwnWriting,
  MAX_DOCUMENT_BYTES,
  ownBlockMarks,
  PROMOTION_MARK,
  promotedLines,
  type ReadOutcome,
  readBytes,
  readDocument,
  tooLarge,
  withoutOwnWriting,
} from './read-document.js';
export { mediaTooLarge, skipOf } from './skips.js';
export {
  joinedLines,
  lineAt,
  lineLength,
  type TextLines,
  textLines,
} from './text-lines.js';
export { TRANSCRIPT_READERS } from './transcripts/readers/index.js';
export {
  mayContainTranscript,
  scanTranscripts,
  type TranscriptGrowth,
  type TranscriptSources,
} from './transcripts/transcript-files.js';
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
  isIgnoredFolder,
  kindOfName,
  walkFolder,
} from './walk.js';
