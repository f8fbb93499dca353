import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noiseOf } from '../../../fakes/meaning.js';
import { startOpenAiFake } from '../../../fakes/openai.js';
import { semanticMemory } from '../../../support/semantic-memory.js';

const test = suite('meaningless vectors');

const NOTES = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => {
    const bells = 'The bell rings. '.repeat((at % 7) + 1);
    return [
      `n${at}.md`,
      `# Note ${at}\n\n${bells}\n\nHouse ${at} has a ${at % 5 === 0 ? 'tower' : 'roof'}.\n`,
    ];
  }),
);

test('do not displace keyword results if there are enough', async () => {
  const fake = await startOpenAiFake({ dimensions: 256, vectorOf: noiseOf });
  const memory = semanticMemory(fake, NOTES);
  const { backend } = await memory.open();
  try {
    await backend.sync({});
    for (const query of ['bell of the tower', 'which roof has a bell', 'house']) {
      const asked = { query, maxResults: 6, minScore: 0 };
      const [both, words] = [
        await backend.search(asked),
        await backend.search({ ...asked, lexicalOnly: true }),
      ];
      assert.equal([both.mode, words.mode], ['hybrid', 'lexical']);
      // Chance decides only between passages that the words tell hardly apart.
      const found = await backend.search({ ...asked, maxResults: 60, lexicalOnly: true });
      const wordScores = new Map(found.results.map(({ path, score }) => [path, score]));
      for (const [at, { path }] of both.results.entries()) {
        const least = words.results[at]?.score ?? 0;
        assert.ok((wordScores.get(path) ?? 0) > least - 0.06, `${query}: ${path}`);
      }
    }
  } finally {
    await backend.close();
    await fake.close();
  }
});

test('of a query leave semantic search to the next one', async () => {
  const fake = await startOpenAiFake({
    dimensions: 256,
    vectorOf: (text, dimensions) =>
      text === 'nothing' ? new Float32Array(dimensions) : noiseOf(text, dimensions),
  });
  const memory = semanticMemory(fake, NOTES);
  const { backend } = await memory.open();
  try {
    await backend.sync({});
    const { mode, warnings } = await backend.search({ query: 'nothing' });
    assert.is(mode, 'lexical');
    assert.match(warnings[0]?.message ?? '', 'all zero');
    assert.is((await backend.search({ query: 'bell of the tower' })).mode, 'hybrid');
  } finally {
    await backend.close();
    await fake.close();
  }
});

test.run();
