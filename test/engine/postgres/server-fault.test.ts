import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  asServerError,
  isConnectionLost,
  serverFault,
} from '../../../src/engine/postgres/server-fault.js';

function internalError(severity: 'ERROR' | 'FATAL', words: string): pg.DatabaseError {
  const error = new pg.DatabaseError(words, words.length, 'error');
  return Object.assign(error, { severity, code: 'XX000' });
}

const address = { host: 'db', port: 5432, database: 'svc', user: 'svc' };

test('a password that is missing is named as that', () => {
  const missing = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  const { code, message } = asServerError(missing, address);
  assert.is(code, 'STORAGE_REFUSED');
  assert.match(message, /refused the login: storage\.url has no password$/u);
});

test('what the driver says of a lost connection is explained', () => {
  for (const [reported, words] of [
    ['Client has encountered a connection error and is not queryable', 'the connection was lost'],
    ['Connection terminated unexpectedly', 'the connection was lost'],
    ['Connection terminated due to connection timeout', 'connection timed out'],
    ['timeout exceeded when trying to connect', 'connection timed out'],
  ] as const) {
    const { code, message } = asServerError(new Error(reported), address);
    assert.is(code, 'STORAGE_UNREACHABLE');
    assert.match(message, new RegExp(`db:5432.* does not answer: ${words}$`, 'u'));
  }
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
    ['XX000', '(ECHECKOUTRETRIES) failed to check out a connection after multiple retries'],
    [
      'XX000',
      '(ECHECKOUTTIMEOUT) unable to check out connection from the pool after 15000ms in Transaction mode',
    ],
    ['58000', 'could not get connection from the pool - AllServersDown'],
    [
      'XX000',
      'Failed to acquire permit to connect to the database. Too many database connection attempts are currently ongoing.',
    ],
    // By the server behind PgBouncer.
    ['08P01', 'too many connections for role "svc"'],
    ['08P01', 'server login has been failing, cached error: sorry, too many clients already'],
  ]) {
    const full = Object.assign(new Error(words), { code });
    assert.is(serverFault(full), 'crowded', words);
    assert.match(asServerError(full, address).hint ?? '', 'storage.poolSize');
  }
});

test('a connection that a pooler has lost, or has not got, is lost', () => {
  for (const [severity, words] of [
    ['FATAL', '(EDBHANDLEREXITED) connection to database closed. Check logs for more information'],
    ['FATAL', '(EAUTHQUERY) auth_query secret check timed out'],
    [
      'FATAL',
      '(ECIRCUITBREAKER) failed to retrieve database credentials after multiple attempts, new connections are temporarily blocked',
    ],
    ['FATAL', 'Internal error (authenticated): :closed'],
    ['ERROR', "Couldn't connect to compute node"],
    ['ERROR', 'Control plane request failed'],
    ['ERROR', 'all backend nodes are down, pgpool requires at least one valid node'],
  ] as const) {
    const lost = internalError(severity, words);
    assert.is(asServerError(lost, address).code, 'STORAGE_UNREACHABLE', words);
    assert.is(isConnectionLost(lost), true, words);
  }
  const corrupt = internalError('ERROR', 'invalid page in block 0 of relation base/1/2');
  assert.is(asServerError(corrupt, address).code, 'STORAGE_FAILED');
  assert.is(isConnectionLost(corrupt), false);
});

test('a server that cannot write what a new connection needs has a full disk', () => {
  const full = internalError('FATAL', 'could not write init file');
  const { code, message } = asServerError(full, address);
  assert.equal([code, message], ['STORAGE_FULL', 'the disk of PostgreSQL at db:5432/svc is full']);
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
  for (const code of ['25P03', '57000', '57P05']) {
    const closed = Object.assign(new Error('terminating connection due to idle timeout'), { code });
    assert.is(asServerError(closed, address).code, 'STORAGE_UNREACHABLE', code);
    assert.is(isConnectionLost(closed), true, code);
  }
});

test('why a server cannot be reached is in plain words', () => {
  const fromNode = (call: string, code: string, ...where: string[]) =>
    Object.assign(new Error([call, code, ...where].join(' ')), { code });
  const refused = fromNode('connect', 'ECONNREFUSED', '::1:5432');
  const unknown = fromNode('getaddrinfo', 'ENOTFOUND', 'db');
  for (const [error, why] of [
    [refused, 'connection refused: nothing is listening there'],
    [new AggregateError([refused, refused]), 'connection refused: nothing is listening there'],
    [unknown, 'host not found'],
    [fromNode('connect', 'ENOENT', '/run/.s.PGSQL.5432'), 'its socket does not exist'],
    [fromNode('connect', 'EACCES', '/run/.s.PGSQL.5432'), 'permission denied'],
    [fromNode('connect', 'ETIMEDOUT', '10.0.0.1:5432'), 'connection timed out'],
    [fromNode('read', 'ETIMEDOUT'), 'connection timed out'],
  ] as const) {
    const { message } = asServerError(error, address);
    assert.is(message, `the PostgreSQL server db:5432/svc does not answer: ${why}`);
  }
});

test('a socket that this user cannot open, or a firewall that refuses, is a server out of reach', () => {
  for (const code of ['EACCES', 'EPERM', 'EAI_FAIL']) {
    const refused = Object.assign(new Error(`connect ${code} /run/postgresql`), { code });
    assert.is(asServerError(refused, address).code, 'STORAGE_UNREACHABLE', code);
  }
});

test.run();
