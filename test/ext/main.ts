/**
 * `npm run test:ext [-- --into FOLDER] [RELEASE …]`: real releases of the external search tool, installed
 * from npm into a folder of their own, searched through the built program by words. Loads no model.
 *
 * --into FOLDER keeps what is installed for the next time; without it, it goes to a temporary folder.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Assertion } from 'uvu/assert';
import { messageOf } from '../../src/engine/errors/index.js';
import { tempFolder } from '../support/temp-folder.js';
import { installReleases } from './install.js';
import { JOURNEY } from './journey.js';
import { RELEASES, type Release, releaseAt } from './releases.js';
import { makeWorld } from './world.js';

async function main(into: string, versions: readonly Release[]): Promise<void> {
  installReleases(into, versions, (what) => say(`installing ${what} …`));
  const rows: string[] = [];
  for (const version of versions) {
    say(`\n${version}`);
    const passed = await tryRelease(into, version);
    rows.push(`${version}  ${passed} of ${JOURNEY.length} passed`);
    if (passed < JOURNEY.length) process.exitCode = 1;
  }
  say(`\n${rows.join('\n')}`);
}

/** @returns how much of it works */
async function tryRelease(into: string, version: Release): Promise<number> {
  const world = makeWorld(version, releaseAt(into, version));
  let passed = 0;
  for (const { name, run } of JOURNEY) {
    try {
      await run(world);
      passed++;
      say(`  ✓ ${name}`);
    } catch (error) {
      const more = error instanceof Assertion ? error.details : '';
      say(`  ✗ ${name}\n${messageOf(error)}\n${more}`);
    }
  }
  return passed;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const { values, positionals } = parseArgs({
  options: { into: { type: 'string' } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !RELEASES.some((release) => release === name));
if (unknown.length > 0) {
  say(`not among the releases ${RELEASES.join(', ')}: ${unknown.join(', ')}`);
  process.exitCode = 2;
} else {
  const wanted = RELEASES.filter((name) => positionals.length === 0 || positionals.includes(name));
  await main(values.into === undefined ? tempFolder().path : resolve(values.into), wanted);
}
