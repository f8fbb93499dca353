/**
 * Records a first run for docs/first-run.md, from the clone to the first answer, with the time of each command:
 *
 *   node --import tsx scripts/capture/first-run.ts
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NOTE = `# Backups

The nightly backup runs at 02:30. It goes to the second disk first, then to the bucket in Frankfurt.
`;

interface Step {
  /** As a person types it. */
  readonly shown: string;
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
}

function record(steps: readonly Step[], env: NodeJS.ProcessEnv): string {
  const lines: string[] = [];
  let totalMs = 0;
  for (const { shown, command, cwd } of steps) {
    const startedMs = performance.now();
    const [program, ...args] = command;
    const output = execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: 'pipe' });
    const tookMs = performance.now() - startedMs;
    totalMs += tookMs;
    const text = stripVTControlCharacters(output).trimEnd();
    lines.push(
      `$ ${shown}   # ${(tookMs / 1000).toFixed(1)} s`,
      ...(text === '' ? [] : [text, '']),
    );
  }
  return `\`\`\`text\n${lines.join('\n').trimEnd()}\n\`\`\`\n\n${(totalMs / 1000).toFixed(1)} s in all.\n`;
}

function main(): void {
  const home = mkdtempSync(join(tmpdir(), 'svc-first-run-'));
  const clone = join(home, 'svc');
  const prefix = join(home, 'npm');
  const notes = join(home, 'notes');
  const env = {
    ...process.env,
    HOME: home,
    SVC_HOME: join(home, '.svc'),
    PATH: `${join(prefix, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    npm_config_prefix: prefix,
    // Another home must not change how this machine installs packages.
    npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(homedir(), '.npmrc'),
    NO_COLOR: '1',
  };
  const question = 'what happens when the disk is full';
  try {
    mkdirSync(notes);
    writeFileSync(join(notes, 'backups.md'), NOTE);
    const fromClone = record(
      [
        {
          shown: 'git clone … svc && cd svc',
          command: ['git', 'clone', '--quiet', ROOT, clone],
          cwd: home,
        },
        {
          shown: `npm start -- memory search "${question}" --workspace docs -n 1`,
          command: [
            ...(['npm', 'start', '--silent', '--', 'memory', 'search', question] as const),
            ...['--workspace', 'docs', '-n', '1'],
          ],
          cwd: clone,
        },
      ],
      env,
    );
    const installed = record(
      [
        {
          shown: 'npm install -g .',
          command: ['npm', 'install', '--global', '--silent', '.'],
          cwd: clone,
        },
        {
          shown: 'svc memory search "when does the backup run" --workspace ~/notes',
          command: ['svc', 'memory', 'search', 'when does the backup run', '--workspace', notes],
          cwd: home,
        },
      ],
      env,
    );
    const machine = `Node.js ${process.version}, ${cpus().length} cores`;
    writeFileSync(
      join(ROOT, 'docs/first-run.md'),
      `# First run

Recorded with ${machine}, by \`scripts/capture/first-run.ts\`, in an empty home. npm compiles SQLite
here, which is not needed from Node.js 22 on; where a prebuilt binary can be downloaded, installing takes a few seconds.

## From a clone

${fromClone}
## Installed

Two commands from the install to the first answer. \`svc config init\` is not needed for keyword search.

${installed}`,
    );
    console.log('wrote docs/first-run.md');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

main();
