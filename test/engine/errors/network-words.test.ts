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

test('an alert is an answer in TLS, described without the rest of what OpenSSL reports', () => {
  const reported =
    '80AC:error:0A000418:SSL routines:ssl3_read_bytes:tlsv1 alert unknown ca:../deps/rec_layer_s3.c:1601:';
  for (const code of [
    'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
    'ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED',
  ]) {
    assert.equal(networkWords(code, reported), { message: 'tlsv1 alert unknown ca' });
  }
  assert.is(
    networkWords('ERR_SSL_WRONG_VERSION_NUMBER', '').message,
    'it does not answer with TLS',
  );
});

test('other failures are described as they were reported', () => {
  assert.equal(networkWords('EPIPE', 'write EPIPE'), { message: 'write EPIPE' });
});

test.run();
