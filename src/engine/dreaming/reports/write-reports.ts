import { readGuarded, writeGuarded } from '../promotion/guarded-file.js';
import type { DreamSettings } from '../sweep/phase-context.js';
import { type DreamBlock, withBlock } from './marked-block.js';

/** Where a phase's report goes. */
export interface ReportPlace {
  /** The workspace's real path. */
  readonly dir: string;
  readonly day: string;
  readonly storage: DreamSettings['storage'];
}

/**
 * Writes a phase's report: a file of its own (`memory/dreaming/<phase>/<day>.md`), a block of the day's
 * note, or both. A report that says what is there already touches no file.
 *
 * @throws SvcError DREAM_FILE_REFUSED
 */
export function writeReport(
  { dir, day, storage }: ReportPlace,
  phase: Exclude<DreamBlock, 'diary'>,
  report: string,
): void {
  if (storage.mode !== 'inline' || storage.separateReports) {
    const file = readGuarded(dir, `memory/dreaming/${phase}/${day}.md`);
    writeGuarded(file, `# ${day}\n\n${report}`);
  }
  if (storage.mode !== 'separate') {
    const note = readGuarded(dir, `memory/${day}.md`);
    writeGuarded(note, withBlock(note.text, phase, report));
  }
}
