// Runs command lines of the built program one after the other in this process, for test/support/svc-session.ts: as it
// starts itself, or as oclif would start it. After each it prints a NUL to stderr, and its exit code between two of them
// to stdout.
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';

const [root, starter] = process.argv.slice(2);
const load = createRequire(import.meta.url);
const program = join(root, 'bin/run.js');
const { main } = load(join(root, 'dist/main.js'));
const oclif = starter === 'oclif' ? await import('@oclif/core/run') : undefined;
const start = (words) =>
  oclif === undefined
    ? main(words, { root, commandsDir: 'dist/commands', extension: '.js', load })
    : oclif.run(words, { root });

/** Connections to PostgreSQL and providers, which commands leave open: the end of their process closes them. */
const connected = new Set();
const { connect } = Socket.prototype;
Socket.prototype.connect = function remember(...args) {
  connected.add(this);
  return connect.apply(this, args);
};

process.on('disconnect', () => process.exit());
process.on('message', async ({ words, env, cwd }) => {
  // The object of Node.js itself: SQLite and the time zone follow no other.
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, program, ...words];
  process.exitCode = 0;
  const onExit = process.listeners('exit');
  await start(words);
  // Each command adds its own, for a process that ends with it.
  for (const added of process.listeners('exit')) {
    if (!onExit.includes(added)) process.off('exit', added);
  }
  for (const socket of connected) socket.destroy();
  connected.clear();
  for (const [stream, mark] of [
    [process.stderr, '\0'],
    [process.stdout, `\0${process.exitCode}\0`],
  ]) {
    // A pipe that is full takes no more at once.
    await new Promise((done) => stream.write(mark, done));
  }
});
