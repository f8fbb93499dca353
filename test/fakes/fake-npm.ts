import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type TempFolder, tempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';

/** What the fake does at an install. */
export type NpmBehaviour =
  | 'fails'
  /** Writes half of a runtime and never ends. */
  | 'hangs'
  /** Installs a runtime that does not load. */
  | 'installs_broken'
  | 'installs'
  /** Knows no newest version. */
  | 'knows_nothing'
  /** Waits for a file `go` in its own folder, then installs. */
  | 'waits';

/** A fake npm: the same arguments, packages of a few lines that need no download. */
export interface FakeNpm {
  /** Makes svc find it. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: TempFolder;
  /** @param newest the newest version of any package */
  behave(behaviour: NpmBehaviour, stderr?: string, newest?: string): void;
  /** Resolves once it hangs, as `hangs` has it. */
  whenHanging(): Promise<unknown>;
  /** The argument lists of all runs. */
  runs(): readonly (readonly string[])[];
}

const PDF_LIBRARY = fileURLToPath(import.meta.resolve('unpdf'));

const PROGRAM = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const here = import.meta.dirname;
const args = process.argv.slice(2);
appendFileSync(join(here, 'runs'), JSON.stringify(args) + '\\n');
const { behaviour, stderr, newest } = JSON.parse(readFileSync(join(here, 'behaviour.json'), 'utf8'));
if (args[0] === 'view') {
  if (behaviour === 'fails') process.stderr.write(stderr);
  else if (behaviour !== 'knows_nothing') process.stdout.write(newest + '\\n');
  process.exit(behaviour === 'fails' ? 1 : 0);
}
for (const needed of ['install', '--omit=optional', '--ignore-scripts', '--no-global', '--no-workspaces']) {
  if (!args.includes(needed)) throw new Error('missing argument ' + needed);
}
if (args.includes('--prefix')) throw new Error('without the global settings of the machine');
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
for (const version of Object.values(dependencies)) {
  if (!/^\\d+\\.\\d+\\.\\d+$/.test(version)) throw new Error('not an exact version: ' + version);
}
if (behaviour === 'fails') {
  process.stderr.write(stderr);
  process.exit(1);
}
const [name] = Object.keys(dependencies);
const library = join(process.cwd(), 'node_modules', name);
mkdirSync(join(library, 'dist'), { recursive: true });
writeFileSync(join(library, 'package.json'), JSON.stringify({ type: 'module', exports: './dist/index.js' }));
if (behaviour === 'hangs') {
  process.stdout.write('half way');
  writeFileSync(join(here, 'half'), '');
  // Not longer than the one that started it, which may have ended already.
  const parent = process.ppid;
  setInterval(() => (parent !== 1 && process.ppid === parent) || process.exit(1), 20);
} else {
  while (behaviour === 'waits' && !existsSync(join(here, 'go'))) await new Promise((done) => setTimeout(done, 10));
  const works = name === 'unpdf'
    ? 'export * from "${PDF_LIBRARY}";'
    : 'export const getLlama = async () => ({ gpu: false, dispose: async () => undefined });';
  const fails = name === 'unpdf'
    ? 'throw new Error("no such format");'
    : 'export const getLlama = async () => { throw new Error("no such processor"); };';
  writeFileSync(join(library, 'dist', 'index.js'), behaviour === 'installs_broken' ? fails : works);
}
`;

/** Makes the fake, which installs by default. */
export function fakeNpm(): FakeNpm {
  const folder = tempFolder();
  const script = folder.write('npm-cli.js', PROGRAM);
  folder.write('package.json', '{"type":"module"}');
  const behave = (behaviour: NpmBehaviour, stderr = '', newest = '9.9.9'): void => {
    folder.write('behaviour.json', JSON.stringify({ behaviour, stderr, newest }));
  };
  behave('installs');
  return {
    env: { npm_execpath: script },
    folder,
    behave,
    whenHanging: () => waitFor('npm', () => existsSync(folder.at('half'))),
    runs: () => {
      const file = folder.at('runs');
      const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
      return lines.map((line) => JSON.parse(line));
    },
  };
}
