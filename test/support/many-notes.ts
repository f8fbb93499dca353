import type { TempFolder } from './temp-folder.js';

const WORDS = 'amber basil cedar delta ember fjord grove heron islet jetty knoll lotus maple north';

/** The text of a note, the same for the same numbers. */
export function noteText(seed: number, paragraphs = 6): string {
  const words = WORDS.split(' ');
  const word = (n: number): string => words[(seed * 7 + n * (1 + (seed % 5))) % words.length] ?? '';
  const paragraph = (p: number): string =>
    Array.from({ length: 60 }, (_, n) => word(n + p * 3)).join(' ');
  const body = Array.from({ length: paragraphs }, (_, p) => `## Part ${p}\n\n${paragraph(p)}.\n`);
  return `# Note ${seed} ${word(0)}\n\n${body.join('\n')}`;
}

/** Queries that find some of these notes. */
export const NOTE_QUERIES = [
  'amber cedar',
  'note part 3',
  'heron OR lotus',
  'north ember fjord',
  'grove',
];

/**
 * Long, so that a run that prints every file soon fills its pipe and waits until it is read: a test
 * that has read its first words then knows that it is still working, even on the slowest machine.
 */
const LONG_NAME = 'a-folder-with-a-long-name-'.repeat(8);

/** Writes this many notes into a folder. */
export function writeNotes(folder: TempFolder, count: number, paragraphs?: number): void {
  for (let n = 0; n < count; n++) {
    folder.write(`${LONG_NAME}/d${n % 10}/n${n}.md`, noteText(n, paragraphs));
  }
}
