import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  asServerError,
  isConnectionLost,
  serverFault,
} from '../../../src/engine/postgres/server-fault.js';

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

test('a pooler that is full has no free connection either, whatever its code', () => {
  for (const [code, words] of [
    ['08P01', 'no more connections allowed (max_client_conn)'],
    [
      'XX000',
      '(EMAXCONNSESSION) max clients reached in session mode - max clients are limited to pool_size: 15',
    ],
    [
      'XX000',
      'MaxClientsInSessionMode: max clients reached - in Session mode max clients are limited to pool_size',
    ],
    ['XX000', 'Max client connections reached'],
  ]) {
    const full = Object.assign(new Error(words), { code });
    assert.is(serverFault(full), 'crowded', words);
    assert.match(asServerError(full, address).hint ?? '', 'storage.poolSize');
  }
});

test('a user that a pooler does not know is a refused login', () => {
  for (const words of [
    'Tenant or user not found',
    '(ENOTFOUND) tenant/user postgres.abcdefgh not found',
  ]) {
    const unknown = Object.assign(new Error(words), { code: 'XX000' });
    assert.is(asServerError(unknown, address).code, 'STORAGE_REFUSED', words);
  }
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
