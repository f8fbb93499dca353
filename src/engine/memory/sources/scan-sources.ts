import { type MemoryFilesOptions, type Scan, scanMemoryFiles } from './memory-files.js';
import { scanTranscripts, type TranscriptSources } from './transcripts/transcript-files.js';

/** Everything that one agent's index mirrors. */
export interface MemorySources {
  readonly memory: MemoryFilesOptions;
  /** Absent where sessions are not indexed. */
  readonly transcripts?: TranscriptSources | undefined;
}

/**
 * Finds every document of every source with one look at the file system and none into the files.
 *
 * @throws SvcError WORKSPACE_MISSING, WORKSPACE_UNREADABLE, HANDLES_EXHAUSTED
 */
export function scanSources({ memory, transcripts }: MemorySources): Scan {
  const notes = scanMemoryFiles(memory);
  if (transcripts === undefined) return notes;
  const conversations = scanTranscripts(transcripts);
  return {
    files: [...notes.files, ...conversations.files],
    skipped: [...notes.skipped, ...conversations.skipped],
  };
}
