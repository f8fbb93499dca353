import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runSvc, type SvcOptions, type SvcRun } from './run-svc.js';
import { tempFolder } from './temp-folder.js';

/** What a run of the built program had loaded when it ended. */
export interface LoadedModules {
  readonly run: SvcRun;
  /** Absolute paths of the script files that V8 compiled. */
  readonly files: readonly string[];
  /** Node.js's own modules, by name. */
  readonly builtins: readonly string[];
}

/** Runs inside the child before the program: V8 reports every script, however it is loaded. */
const SPY = `
const { Session } = require('node:inspector');
const { writeFileSync } = require('node:fs');
const urls = [];
const session = new Session();
session.connect();
session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url));
session.post('Debugger.enable');
process.on('exit', () => {
  const builtins = process.moduleLoadList.map((entry) => entry.split(' ').at(-1));
  writeFileSync(process.env.SVC_TEST_SPY, JSON.stringify({ urls, builtins }));
});
`;

/** Runs a command of the built program and lists what it loaded. */
export async function modulesLoadedBy(
  args: readonly string[],
  options: SvcOptions,
): Promise<LoadedModules> {
  const folder = tempFolder();
  const out = folder.at('loaded.json');
  const run = await runSvc(args, {
    ...options,
    nodeArgs: ['--require', folder.write('spy.cjs', SPY)],
    env: { ...options.env, SVC_TEST_SPY: out },
  });
  const { urls, builtins }: { urls: string[]; builtins: string[] } = JSON.parse(
    readFileSync(out, 'utf8'),
  );
  const files = urls
    .map((url) => (url.startsWith('file:') ? fileURLToPath(url) : url))
    .filter((file) => file.startsWith('/') && !file.startsWith(folder.path));
  return { run, files, builtins };
}
