import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identityKey } from '../../../src/engine/embeddings/identity.js';
import { shownAddress } from '../../../src/engine/providers/vendor-fault.js';
import { startFake } from '../../fakes/fake-vendor.js';
import { failureOf } from '../../support/failure.js';
import { testSettings } from './conformance.js';
import { openAdapter, withFake } from './support.js';

const test = suite('logins in addresses, and what vendors repeat');

test('an address is shown without its login; anything else stays', () => {
  assert.is(shownAddress('https://ada:p%40ss@host:8/v1?x=@y'), 'https://host:8/v1?x=@y');
  assert.is(shownAddress('http://token@host'), 'http://host');
  for (const plain of ['https://host/v1/@me', 'us-east-1', 'local', 'hf:user/repo@main']) {
    assert.is(shownAddress(plain), plain);
  }
});

test('an identity has no login in it: a changed password gives no other vectors', async () => {
  const keyOf = async (login: string): Promise<string> => {
    const settings = testSettings({ adapter: 'openai', baseUrl: `http://${login}host/v1` });
    return identityKey((await openAdapter(settings)).identity);
  };
  assert.is(await keyOf('ada:one@'), await keyOf(''));
  assert.is(await keyOf('ada:two@'), await keyOf(''));
});

test('what a vendor repeats of a request is masked, wherever its words are cut', async () => {
  const key = 'a key that looks like no other, at all';
  const header = 'Basic-looking/header=value';
  let dots = 0;
  const echo = startFake({
    answer: ({ headers }) => {
      const message = `${'.'.repeat(dots)}${headers.authorization} ${headers['x-own']}`;
      return { status: 400, body: { error: { message } } };
    },
    troubleAnswers: {},
  });
  await withFake(echo, async (fake) => {
    const settings = testSettings({
      adapter: 'openai',
      baseUrl: `${fake.origin}/v1`,
      credential: { value: key, source: 'env X' },
      headers: { 'x-own': header },
    });
    const adapter = await openAdapter(settings);
    for (dots = 230; dots < 300; dots += 3) {
      const { message } = await failureOf(adapter.embedQuery('x'));
      assert.not.match(message, 'a key th');
      assert.not.match(message, 'Basic-lo');
    }
  });
});

test.run();
