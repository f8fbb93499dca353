import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { placesIn, RELEASES, type Release } from '../ext/releases.js';
import { installQmd, recordedQmd } from '../support/qmd.js';
import { tempFolder } from '../support/temp-folder.js';
import { runCommand } from './qmd/commands.mjs';
import { askMcp, type McpAnswers } from './qmd/connect.js';
import { RELEASES as FAKE_RELEASES } from './qmd/releases.mjs';
import { type Answer, playMcpSteps, playScenario, type RunTool } from './qmd/scenario.js';
import { placesOf } from './qmd/store.mjs';

const test = suite('the fake qmd');

/** What test/fakes/qmd/record.ts writes. */
interface Recorded {
  readonly help: readonly string[];
  readonly answers: readonly Answer[];
  readonly mcp: McpAnswers;
}

function recordedOf(version: Release): Recorded {
  return recordedQmd(version) as Recorded;
}

/** Runs a program with its files in this folder, and without the variables of this process. */
function toolIn(folder: string, command: string): RunTool {
  const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...placesIn(folder) };
  return (args, cwd) => spawnSync(command, args, { cwd, env, encoding: 'utf8' });
}

for (const version of RELEASES) {
  test(`answers like ${version}`, () => {
    const { path } = tempFolder();
    const release = FAKE_RELEASES[version];
    assert.ok(release);
    const places = placesOf(placesIn(path));
    const played = playScenario(path, (args, cwd) => {
      const answer = runCommand(args, { places, release, cwd });
      assert.ok(answer);
      return answer;
    });
    const { answers } = recordedOf(version);
    assert.is(played.length, answers.length);
    for (const [at, answer] of answers.entries()) {
      assert.equal(withoutTies(played[at]), withoutTies(answer), answer.args.join(' '));
    }
  });

  test(`prints the help of ${version}, as a program`, () => {
    const { path } = tempFolder();
    const { stdout } = toolIn(path, installQmd({ version }).command)(['--help'], path);
    for (const line of recordedOf(version).help) assert.ok(stdout.includes(`${line}\n`), line);
  });

  test(`its MCP server answers like that of ${version}`, async () => {
    const { path } = tempFolder();
    const { command } = installQmd({ version });
    playMcpSteps(path, toolIn(path, command));
    const { mcp } = recordedOf(version);
    const env = { PATH: process.env['PATH'] ?? '', ...placesIn(path) };
    const answers = await askMcp({ command, env, cwd: path });
    assert.equal(answers.tools, mcp.tools);
    assert.equal(answers.calls, mcp.calls);
  });
}

/** Rows of equal score come in the order of the file system. */
function withoutTies(answer: Answer | undefined): unknown {
  if (!answer?.stdout.startsWith('[')) return answer;
  const rows = JSON.parse(answer.stdout) as readonly { score: number; file: string }[];
  const sorted = rows.toSorted((a, b) => b.score - a.score || (a.file < b.file ? -1 : 1));
  return { ...answer, stdout: sorted };
}

test.run();
