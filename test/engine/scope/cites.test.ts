import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { citesFor, type SessionFacts } from '../../../src/engine/scope/index.js';

const test = suite('which conversations get citations');

const AUTO: readonly (readonly [SessionFacts, boolean])[] = [
  [{}, true],
  [{ sessionKey: 'agent:main:telegram:direct:42' }, true],
  [{ sessionKey: 'agent:main:main' }, true],
  [{ sessionKey: 'no key at all' }, true],
  [{ sessionKey: 'agent:group:main' }, true],
  [{ sessionKey: 'agent:main:telegram:group:7' }, false],
  [{ sessionKey: 'Agent:Main:Slack:CHANNEL:c1' }, false],
  [{ sessionKey: 'agent:main:telegram:group:7', chatType: 'direct' }, true],
  [{ chatType: 'explicit' }, true],
  [{ chatType: 'group' }, false],
  [{ sessionKey: 'agent:main:telegram:direct:42', chatType: 'channel' }, false],
];

for (const [session, cites] of AUTO) {
  test(`${JSON.stringify(session)} gets ${cites ? 'them' : 'none'} by itself`, () => {
    assert.is(citesFor('auto', session), cites);
  });

  test(`${JSON.stringify(session)} gets them as on and off say`, () => {
    assert.is(citesFor('on', session), true);
    assert.is(citesFor('off', session), false);
  });
}

test.run();
