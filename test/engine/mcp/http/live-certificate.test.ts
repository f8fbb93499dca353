import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, type PeerCertificate } from 'node:tls';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createHttpServer } from '../../../../src/engine/listener/http-server.js';
import { listenOn } from '../../../../src/engine/listener/listen.js';
import { watchCertificate } from '../../../../src/engine/mcp/http/listen-http.js';
import { createCertificate } from '../../../support/certificate.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('renewed certificates');

function nameAt(port: number): Promise<string | string[] | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      const peer: PeerCertificate = socket.getPeerCertificate();
      socket.destroy();
      resolve(peer.subject.CN);
    });
    socket.on('error', reject);
  });
}

test('new connections get a renewed certificate, and the old one if it cannot be used', async () => {
  const home = tempFolder();
  createCertificate(home, 'old');
  createCertificate(home, 'new');
  symlinkSync('old.pem', home.at('cert.pem'));
  symlinkSync('old.key', home.at('key.pem'));
  const point = (link: string, to: string): void => {
    symlinkSync(to, home.at('next'));
    renameSync(home.at('next'), home.at(link));
  };
  const tls = { cert: home.at('cert.pem'), key: home.at('key.pem') };
  const address = { host: '127.0.0.1', port: 0, tls, trustedProxies: [] };
  const server = createHttpServer({ address, log: pino({ level: 'silent' }) });
  const { port } = new URL(await listenOn(server, address));
  const heard: string[] = [];
  const lookAtFiles = watchCertificate(server, address, {
    info: () => heard.push('renewed'),
    warn: () => heard.push('trouble'),
  });
  const look = async (): Promise<unknown> => {
    lookAtFiles();
    return nameAt(Number(port));
  };
  try {
    assert.is(await look(), 'old');
    // Half of it is not used, and neither is what has only just changed.
    point('cert.pem', 'new.pem');
    assert.is(await look(), 'old');
    point('key.pem', 'new.key');
    assert.is(await look(), 'old');
    assert.is(await look(), 'new');
    assert.equal(heard, ['renewed']);
    writeFileSync(home.at('broken'), 'no certificate');
    point('cert.pem', 'broken');
    for (let time = 0; time < 3; time++) assert.is(await look(), 'new');
    rmSync(home.at('key.pem'));
    for (let time = 0; time < 3; time++) assert.is(await look(), 'new');
    assert.equal(heard, ['renewed', 'trouble', 'trouble']);
  } finally {
    await server.close();
  }
});

test.run();
