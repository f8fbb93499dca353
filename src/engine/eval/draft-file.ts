import { existsSync } from 'node:fs';
import { messageOf, SvcError } from '../errors/index.js';
import { PRIVATE_MODE, replaceFile } from '../replace-file.js';
import type { Draft } from './draft-questions.js';

/** Drafts as the lines of a file of questions. */
export function draftLines(drafts: readonly Draft[]): string {
  return drafts.map((draft) => `${JSON.stringify(draft)}\n`).join('');
}

/**
 * Writes drafts as a file of questions, for its owner alone: they are made of notes.
 *
 * @param replaces whether a file that is there may be replaced
 * @throws SvcError EVAL_WRITE_FAILED
 */
export function writeDraftFile(file: string, drafts: readonly Draft[], replaces: boolean): void {
  if (!replaces && existsSync(file)) {
    throw new SvcError('EVAL_WRITE_FAILED', `${file} is there already`, {
      hint: 'choose another name, or add --force',
    });
  }
  try {
    replaceFile(file, draftLines(drafts), PRIVATE_MODE);
  } catch (error) {
    throw new SvcError('EVAL_WRITE_FAILED', `cannot write ${file}: ${messageOf(error)}`, {
      hint: 'check its folder and the room on the disk',
      cause: error,
    });
  }
}
