import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { networkWords } from '../../../src/engine/errors/index.js';

test('a certificate of an authority that is not known is described, and how to make it known', () => {
  for (const code of ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SELF_SIGNED_CERT_IN_CHAIN']) {
    const { message, hint } = networkWords(code, code);
    assert.is(message, "the host's certificate is not trusted");
    assert.match(hint ?? '', 'NODE_EXTRA_CA_CERTS');
  }
});

test('other failures are described as they were reported', () => {
  assert.equal(networkWords('EPIPE', 'write EPIPE'), { message: 'write EPIPE' });
});

test.run();
