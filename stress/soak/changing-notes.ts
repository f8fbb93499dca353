import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = 40;
const NOTES = 1000;
const BURST_EVERY = 1500;
const BURST = 300;

/** Writes the initial notes. */
export function makeNotes(notes: string): void {
  for (let folder = 0; folder < FOLDERS; folder++) {
    mkdirSync(join(notes, `d${folder}`), { recursive: true });
  }
  for (let n = 0; n < NOTES; n++) {
    writeFileSync(join(notes, `d${n % FOLDERS}`, `n${n}.md`), noteText(n));
  }
}

function noteText(n: number): string {
  return `# Note ${n}\n\n${`word${n % 97} word${n % 89} word${n % 83} `.repeat(20)}\n`;
}

/** Makes one deterministic change to the notes; occasionally a burst of hundreds. */
export function changeNotes(notes: string, n: number): void {
  const folder = join(notes, `d${n % FOLDERS}`);
  const note = join(folder, `n${(n * 7) % NOTES}.md`);
  mkdirSync(folder, { recursive: true });
  if (n % BURST_EVERY === BURST_EVERY - 1) {
    for (let at = 0; at < BURST; at++) writeFileSync(join(folder, `b${at}.md`), noteText(n + at));
    return;
  }
  switch (n % 6) {
    case 0:
      appendFileSync(note, `line ${n}\n`);
      return;
    case 1:
      writeFileSync(`${note}.tmp`, noteText(n));
      renameSync(`${note}.tmp`, note);
      return;
    case 2:
      rmSync(note, { force: true });
      return;
    case 3:
      mkdirSync(join(folder, `deep${n % 5}`), { recursive: true });
      writeFileSync(join(folder, `deep${n % 5}`, 'x.md'), noteText(n));
      return;
    case 4:
      rmSync(join(folder, `moved${n % 3}`), { recursive: true, force: true });
      moveFirst(folder, `moved${n % 3}`);
      return;
    default:
      writeFileSync(note, noteText(n));
  }
}

function moveFirst(folder: string, to: string): void {
  const deep = readdirSync(folder).find((name) => name.startsWith('deep'));
  if (deep !== undefined) renameSync(join(folder, deep), join(folder, to));
}
