import { readFileSync, rmSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { callSearch, closeClients, searchResultsOf, stdioClient } from '../support/mcp.js';
import type { World } from './world.js';

/** One thing that must work with every release; what comes later builds on what came before. */
export interface Stage {
  readonly name: string;
  /** @throws when it does not work */
  run(world: World): Promise<void>;
}

const IN_A_GROUP = ['--session-key', 'agent:main:telegram:group:7'];

export const JOURNEY: readonly Stage[] = [
  {
    name: 'indexes',
    run: async ({ svc }) => {
      const run = await svc('memory', 'index', '--json');
      assert.is(run.code, 0, run.stderr);
      assert.equal(jsonOf.index(run).warnings ?? [], []);
    },
  },
  {
    name: 'finds, at the right lines',
    run: async (world) => {
      await found(world, 'walrus', 'memory/Trips and Ports/Field Notes v2.md', 3);
      await found(world, 'Brücke', 'memory/Süd_Küste.md', 3);
      await found(world, 'ferry', 'memory/2026-11-01.md', 7);
      await found(world, 'spare key', 'MEMORY.md', 3);
    },
  },
  {
    name: 'finds in a collection of the configuration',
    run: async (world) => {
      const { results } = await searched(world, 'pelican');
      assert.is(results.length, 1);
      assert.ok(results[0]?.snippet.includes('Nobody feeds the pelican.'));
      assert.match(results[0]?.path ?? '', /Rules\.md$/);
    },
  },
  {
    name: 'reads what it found',
    run: async (world) => {
      for (const word of ['walrus', 'pelican']) {
        const [first] = (await searched(world, word)).results;
        const run = await world.svc('memory', 'get', first?.path ?? '', '--json');
        assert.is(run.code, 0, run.stderr);
        assert.match(jsonOf.get(run).text, word);
      }
    },
  },
  {
    name: 'keeps agents apart',
    run: async (world) => {
      const { results } = await searched(world, 'spare', '--agent', 'bob');
      assert.equal(
        results.map(({ path }) => path),
        ['MEMORY.md'],
      );
      assert.match(results[0]?.snippet ?? '', 'trumpet');
      const mine = await searched(world, 'spare');
      assert.ok(mine.results.every(({ snippet }) => !snippet.includes('trumpet')));
      assert.equal((await searched(world, 'walrus', '--agent', 'bob')).results, []);
    },
  },
  {
    name: 'follows changes',
    run: async (world) => {
      const { home } = world;
      home.write('main/memory/2026-11-02.md', '# Second\n\nThe okapi has stripes.\n');
      home.write('main/MEMORY.md', '# Memory\n\nNew first line.\n\nThe wombat digs.\n');
      rmSync(home.at('main/memory/goes.md'));
      await found(world, 'okapi', 'memory/2026-11-02.md', 3);
      await found(world, 'wombat', 'MEMORY.md', 5);
      assert.equal((await searched(world, 'quokka')).results, []);
      assert.equal((await searched(world, 'paint shelf')).results, []);
    },
  },
  {
    name: 'follows the last file of a folder',
    run: async (world) => {
      rmSync(world.home.at('main/MEMORY.md'));
      assert.equal((await searched(world, 'wombat')).results, []);
    },
  },
  {
    name: 'answers a server that stays',
    run: async ({ home, env }) => {
      const { client } = await stdioClient(home, { env });
      try {
        const ask = async (query: string) => searchResultsOf(await callSearch(client, query));
        const first = await ask('ferry');
        assert.is(first.results[0]?.path, 'memory/2026-11-01.md');
        home.write('main/memory/later.md', '# Later\n\nThe ibex climbs.\n');
        let answer = await ask('ibex');
        // A question waits no longer than half a second for a refresh that is under way.
        while (answer.warnings.some(({ code }) => code === 'INDEX_BUSY'))
          answer = await ask('ibex');
        assert.is(answer.results[0]?.path, 'memory/later.md');
      } finally {
        await closeClients();
      }
    },
  },
  {
    name: 'keeps groups out',
    run: async (world) => {
      const { results, warnings } = await world.search('ferry', ...IN_A_GROUP);
      assert.equal(results, []);
      assert.equal(
        warnings?.map(({ code }) => code),
        ['SCOPE_DENIED'],
      );
      const direct = await searched(
        world,
        'ferry',
        '--session-key',
        'agent:main:telegram:direct:1',
      );
      assert.is(direct.results.length, 1);
    },
  },
  {
    name: 'tells its state',
    run: async ({ svc, release }) => {
      for (const more of [[], ['--deep']]) {
        const run = await svc('memory', 'status', '--json', ...more);
        assert.is(run.code, 0, run.stderr);
        const [main] = jsonOf.status(run).agents;
        assert.is(main?.backend, 'ext');
        assert.is(main?.ext?.release, release);
        assert.ok((main?.ext?.updated?.files ?? 0) >= 5);
      }
      assert.is((await svc('memory', 'status')).code, 0);
    },
  },
  {
    name: 'forgets',
    run: async (world) => {
      const run = await world.svc('memory', 'forget', 'ferry', '--yes', '--json');
      assert.is(run.code, 0, run.stderr);
      assert.equal((await searched(world, 'ferry')).results, []);
      assert.equal((await searched(world, 'walrus')).results.length, 1);
    },
  },
  {
    name: "leaves the person's own alone",
    run: async ({ ownFiles, ownBefore }) => {
      assert.equal(ownFiles(), ownBefore);
    },
  },
];

/** A search that the tool itself answered, without a word of warning. */
async function searched(world: World, query: string, ...args: readonly string[]) {
  const answer = await world.search(query, ...args);
  assert.equal(answer.warnings ?? [], []);
  assert.equal([answer.backend, answer.mode], ['ext', 'lexical']);
  return answer;
}

/** The first hit is in this file, and its lines hold this one, which has the last word of the query. */
async function found(world: World, query: string, path: string, line: number): Promise<void> {
  const [first] = (await searched(world, query)).results;
  assert.ok(first);
  assert.is(first.path, path);
  const text = readFileSync(world.home.at(`main/${path}`), 'utf8').split('\n');
  const word = query.split(' ').at(-1) ?? '';
  assert.ok(text[line - 1]?.includes(word));
  assert.ok(
    first.startLine <= line && line <= first.endLine,
    `${first.startLine}–${first.endLine}`,
  );
  const shown = first.snippet.split('\n').findIndex((one) => one.includes(word));
  assert.is(first.snippetLine + shown, line);
}
