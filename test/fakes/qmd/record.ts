/**
 * Records what real releases of the tool answer, for test/fakes/qmd.test.ts to compare the fake with:
 *
 *   node --import tsx test/fakes/qmd/record.ts FOLDER
 *
 * FOLDER is what `npm run test:ext -- --into FOLDER` has filled.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placesIn, RELEASES, releaseAt } from '../../ext/releases.js';
import { tempFolder } from '../../support/temp-folder.js';
import { askMcp } from './connect.js';
import { type Answer, playMcpSteps, playScenario } from './scenario.js';

const TIME_LIMIT_MS = 60_000;

/** Writes recorded/VERSION.json for each release. */
async function record(folder: string): Promise<void> {
  for (const version of RELEASES) {
    const { path } = tempFolder();
    const { command, env: releaseEnv } = releaseAt(folder, version);
    const env = { ...releaseEnv, ...placesIn(path) };
    const run = (args: readonly string[], cwd: string): Omit<Answer, 'args'> =>
      spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: TIME_LIMIT_MS });
    const answers = playScenario(path, run);
    const mcpFolder = tempFolder().path;
    const mcpEnv = { ...releaseEnv, ...placesIn(mcpFolder) };
    playMcpSteps(mcpFolder, (args, cwd) =>
      spawnSync(command, args, { cwd, env: mcpEnv, encoding: 'utf8', timeout: TIME_LIMIT_MS }),
    );
    const mcp = await askMcp({ command, env: mcpEnv, cwd: mcpFolder });
    const help = run(['--help'], path).stdout;
    const recorded = { version, help: featureLines(help), answers, mcp };
    const file = fileURLToPath(new URL(`recorded/${version}.json`, import.meta.url));
    writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
    process.stdout.write(`${version}: ${answers.length} answers, ${mcp.calls.length} calls\n`);
  }
}

/** The lines of the help text that show what a release can do. */
function featureLines(help: string): readonly string[] {
  return help
    .split('\n')
    .filter((line) =>
      /--mask|--glob\b <|--json|--format|-c, --collection|^ {2}qmd (?:query|search|vsearch|embed|mcp|update|collection|status)\b/.test(
        line,
      ),
    );
}

const [folder] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('missing argument: FOLDER, where the releases are installed');
await record(resolve(folder));
