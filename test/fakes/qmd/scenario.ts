import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One step of the scenario: a run of the tool, or a change of a file. */
export type Step =
  | { readonly run: readonly string[] }
  | { readonly write: string; readonly text: string }
  | { readonly remove: string };

/** What the tool answered to one `run`. */
export interface Answer {
  readonly args: readonly string[];
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Replaces the folder of the notes, in arguments and answers. */
const NOTES = '{notes}';

const search = (...args: readonly string[]): Step => ({ run: ['search', ...args] });

/** They begin and end with an empty index. No step loads a model. */
const STEPS: readonly Step[] = [
  { run: ['--version'] },
  { run: ['collection', 'list'] },
  search('harbour', '--json'),
  search('harbour', '--json', '-c', 'root'),
  { run: ['update'] },
  { run: ['collection', 'add', NOTES, '--name', 'root', '--mask', 'MEMORY.md'] },
  { run: ['collection', 'add', `${NOTES}/memory`, '--name', 'dir', '--mask', '**/*.md'] },
  { run: ['collection', 'add', `${NOTES}/memory`, '--name', 'dir', '--mask', '**/*.txt'] },
  { run: ['collection', 'add', `${NOTES}/memory`, '--name', 'twin', '--mask', '**/*.md'] },
  { run: ['collection', 'add', `${NOTES}/memory`, '--name', 'bare', '--mask', '**/*.org'] },
  { run: ['collection', 'add', `${NOTES}/memory`, '--name', 'other', '--glob', '**/*.txt'] },
  { run: ['collection', 'list', '--json'] },
  search('harbour', '--json'),
  search('harbour', '--json', '-n', '1'),
  search('harbour', '--json', '-n', '6', '-c', 'dir'),
  search('boat', '--json', '-n', '6', '-c', 'root', '-c', 'dir'),
  search('boat', '--json', '-c', 'dir', '-c', 'root'),
  search('harbour', '--json', '-c', 'dir', '-c', 'absent'),
  search('OTTILIE', 'harbour', '--json'),
  search('Repairing pumps', '--json'),
  search('har', '--json'),
  search('"the harbour"', '--json'),
  search('harbour -master', '--json'),
  search('ice-cold', '--json'),
  search('2.10.1', '--json'),
  search('Brücke', '--json'),
  search('brucke', '--json'),
  search('harbour', '--json', '--full'),
  search('shackle', '--json', '--line-numbers'),
  search('harbour', '--json', '--min-score', '0.99'),
  search('zeppelin', '--json'),
  search('zeppelin'),
  search('!!', '--json'),
  search('harbour', '--json', '--no-such-option'),
  search('--json', '-n', '3', 'harbour'),
  search('--json', '--', '-harbour'),
  search('log', '--json', '-n', '12'),
  search('--format', 'json', '-n', '3', '-c', 'dir', '--', 'harbour'),
  search(),
  { run: ['no-such-command'] },
  { run: ['collection', 'no-such-verb'] },
  { run: ['collection', 'remove', 'absent'] },
  { run: ['collection', 'show', 'dir'] },
  { run: ['collection', 'show', 'absent'] },
  { run: ['collection', 'add', `${NOTES}/no-such-folder`, '--name', 'gone'] },
  { write: 'memory/2026-11-03.md', text: '# Third\n\nThe zeppelin landed.\n' },
  { write: 'memory/2026-11-02.md', text: '# Second\n\nA second day by the harbour.\n' },
  { remove: 'memory/log-8.md' },
  { run: ['update'] },
  search('zeppelin', '--json'),
  search('day', '--json'),
  { run: ['update'] },
  { remove: 'MEMORY.md' },
  { run: ['update'] },
  search('paint', '--json'),
  { run: ['cleanup'] },
  { run: ['collection', 'remove', 'dir'] },
  search('harbour', '--json'),
  search('harbour', '--json', '-c', 'dir'),
  { run: ['collection', 'list'] },
];

/** They add the two collections that the MCP server searches. */
const MCP_STEPS: readonly Step[] = STEPS.filter(
  (step) => 'run' in step && step.run[1] === 'add' && /^(?:root|dir)$/.test(step.run[4] ?? ''),
).slice(0, 2);

/** Runs the tool with these arguments in this folder. */
export type RunTool = (args: readonly string[], cwd: string) => Omit<Answer, 'args'>;

/**
 * Runs all steps, on a copy of the notes.
 *
 * @param folder empty; the copy goes there
 */
export function playScenario(folder: string, runTool: RunTool): readonly Answer[] {
  return play(STEPS, folder, runTool);
}

/** Fills an index for the MCP server, likewise. */
export function playMcpSteps(folder: string, runTool: RunTool): void {
  play(MCP_STEPS, folder, runTool);
}

function play(steps: readonly Step[], folder: string, runTool: RunTool): readonly Answer[] {
  const notes = join(folder, 'notes');
  cpSync(fileURLToPath(new URL('corpus', import.meta.url)), notes, { recursive: true });
  const answers: Answer[] = [];
  for (const step of steps) {
    if ('run' in step) {
      const args = step.run.map((arg) => arg.replace(NOTES, notes));
      const { status, stdout, stderr } = runTool(args, folder);
      answers.push({
        args: step.run,
        status,
        stdout: normalized(stdout, notes),
        stderr: normalized(stderr, notes),
      });
    } else if ('write' in step) {
      const file = join(notes, step.write);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, step.text);
    } else {
      rmSync(join(notes, step.remove));
    }
  }
  return answers;
}

/** Progress: a file at a time, in the order of the file system, with the estimated time. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one
const PROGRESS = /(?:\u001b\]9;4;1;\d+\u0007\rIndexing: \d+\/\d+(?: ETA: [\d smh]+)? *)+/g;

/** Replaces what differs from run to run: folders, ages and progress. */
function normalized(text: string, notes: string): string {
  return text
    .replaceAll(notes, NOTES)
    .replaceAll(/\d+[smhd] ago/g, '0s ago')
    .replaceAll(PROGRESS, '{progress}');
}
