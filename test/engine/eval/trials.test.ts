import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseTrials } from '../../../src/engine/eval/trials.js';
import { failureOf } from '../../support/failure.js';

const test = suite('variants to compare');

test('commas set variants apart, + their settings; the end of a key is enough', () => {
  const trials = parseTrials(['provider=openai,hybrid.textWeight=0.5', 'tokens=200+overlap=40']);
  assert.equal(
    trials.map(({ name, settings }) => ({ name, settings })),
    [
      { name: 'provider=openai', settings: { provider: 'openai' } },
      { name: 'hybrid.textWeight=0.5', settings: { query: { hybrid: { textWeight: 0.5 } } } },
      { name: 'tokens=200+overlap=40', settings: { chunking: { tokens: 200, overlap: 40 } } },
    ],
  );
});

test('only what changes how is searched shares the index of the person', () => {
  const [shared, own, same] = parseTrials([
    'query.minScore=0.2,chunking.tokens=200,query.minScore=0.1+chunking.tokens=200',
  ]);
  assert.is(shared?.indexKey, undefined);
  assert.equal(shared?.settings, { query: { minScore: 0.2 } });
  assert.is(own?.indexKey, 'chunking.tokens=200');
  assert.is(same?.indexKey, own?.indexKey);
});

test('a value may hold separators in quotes and brackets', () => {
  const [model, sources] = parseTrials(['model="a+b,c",sources=["memory","sessions"]']);
  assert.equal(model?.settings, { model: 'a+b,c' });
  assert.equal(sources?.settings, { sources: ['memory', 'sessions'] });
});

test('a number is a text where the key takes a text', () => {
  assert.equal(parseTrials(['model=7'])[0]?.settings, { model: '7' });
});

for (const [text, message] of [
  ['provider', /must list settings as key=value \(got "provider"\)/],
  ['=x', /must list settings as key=value/],
  ['textWieght=1', /unknown memorySearch setting "textWieght"/],
] as const) {
  test(`${text} is refused`, async () => {
    const error = await failureOf((async () => parseTrials([text]))());
    assert.is(error.code, 'USAGE');
    assert.match(error.message, message);
  });
}

test.run();
