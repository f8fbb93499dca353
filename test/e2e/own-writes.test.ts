import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callSearch, closeClients, mcpHome, searchResultsOf, stdioClient } from '../support/mcp.js';
import { waitFor } from '../support/wait.js';

const test = suite('agents that write to a shared memory');

test.after.each(closeClients);

const ROUNDS = 8;
/** A machine that is very busy may hold a writer up for longer than a search waits, but not for so many rounds. */
const MOST_ROUNDS = 40;
const LEAST_FOUND = 0.9;

/** How a note is found by the server whose agent has just written it. */
type Outcome = 'found' | 'warned' | 'missed';

function isMostFound(outcomes: readonly Outcome[]): boolean {
  const found = outcomes.filter((outcome) => outcome === 'found').length;
  return found >= outcomes.length * LEAST_FOUND;
}

/** Every agent writes a note and searches for it at once, all at the same time. */
async function writeAndSearch(agents: number): Promise<readonly Outcome[]> {
  const home = mcpHome();
  const servers = await Promise.all(
    Array.from({ length: agents }, async () => (await stdioClient(home)).client),
  );
  const search = async (server: (typeof servers)[number], query: string) =>
    searchResultsOf(await callSearch(server, query));
  await Promise.all(servers.map((server) => search(server, 'zebra')));
  const outcomes: Outcome[] = [];
  for (let round = 0; round < ROUNDS || (!isMostFound(outcomes) && round < MOST_ROUNDS); round++) {
    const answers = servers.map(async (server, at): Promise<Outcome> => {
      const word = `quokka${round}x${at}`;
      const path = `memory/${word}.md`;
      home.write(`workspace/${path}`, `The ${word} is awake.\n`);
      const ask = async () => {
        const { results, warnings } = await search(server, word);
        return { isFound: results.some((result) => result.path === path), warnings };
      };
      const { isFound, warnings } = await ask();
      if (isFound) return 'found';
      if (!warnings.some(({ code }) => code === 'INDEX_BUSY')) return 'missed';
      await waitFor('the note is found', async () => (await ask()).isFound);
      return 'warned';
    });
    outcomes.push(...(await Promise.all(answers)));
  }
  return outcomes;
}

for (const agents of [2, 4]) {
  test(`each of ${agents} finds what it wrote, or gets a warning and finds it later`, async () => {
    const outcomes = await writeAndSearch(agents);
    assert.not(outcomes.includes('missed'), outcomes.join(' '));
    assert.ok(isMostFound(outcomes), outcomes.join(' '));
  });
}

test.run();
