import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { asServerError, isConnectionLost } from '../../../src/engine/postgres/server-fault.js';

const address = { host: 'db', port: 5432, database: 'svc', user: 'svc' };

test('a password that is missing is named as that', () => {
  const missing = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  const { code, message } = asServerError(missing, address);
  assert.is(code, 'STORAGE_REFUSED');
  assert.match(message, /refused the login: storage\.url has no password$/u);
});

test('a server whose connections are all in use is not one that does not answer', () => {
  const full = Object.assign(new Error('remaining connection slots are reserved'), {
    code: '53300',
  });
  const { code, message, hint } = asServerError(full, address);
  assert.is(code, 'STORAGE_UNREACHABLE');
  assert.match(message, /db:5432.* has no free connection$/u);
  assert.match(hint ?? '', 'max_connections');
  assert.is(isConnectionLost(full), true);
});

test('a connection that the server closed for being idle is lost', () => {
  for (const code of ['25P03', '57P05']) {
    const closed = Object.assign(new Error('terminating connection due to idle timeout'), { code });
    assert.is(asServerError(closed, address).code, 'STORAGE_UNREACHABLE', code);
    assert.is(isConnectionLost(closed), true, code);
  }
});

test('a socket that this user cannot open, or a firewall that refuses, is a server out of reach', () => {
  for (const code of ['EACCES', 'EPERM', 'EAI_FAIL']) {
    const refused = Object.assign(new Error(`connect ${code} /run/postgresql`), { code });
    assert.is(asServerError(refused, address).code, 'STORAGE_UNREACHABLE', code);
  }
});

test.run();
