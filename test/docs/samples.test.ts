import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultLoadersSync } from 'cosmiconfig';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { checkConfigText } from '../../src/engine/config/check.js';
import { CONFIG_DEFAULTS } from '../../src/engine/config/defaults.js';
import { OLDEST_SERVER } from '../../src/engine/postgres/index.js';
import { faultOf } from './command-line.js';
import { isThere, ROOT } from './pages.js';

/** One instruction of a Dockerfile. */
interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** Those that the reference of Dockerfiles lists. */
const KNOWN =
  /^(?:ADD|ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|RUN|SHELL|STOPSIGNAL|USER|VOLUME|WORKDIR)$/;

function instructions(): readonly Instruction[] {
  return readSample('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...rest] = line.split(' ');
      return { name, rest: rest.join(' ') };
    });
}

function readSample(name: string): string {
  return readFileSync(join(ROOT, 'docs/samples', name), 'utf8');
}

const words = z.array(z.string());

/** The argument array of an instruction, in the form that needs no shell. */
function wordsOfInstruction(name: string): readonly string[] {
  const { rest = '' } = instructions().find((one) => one.name === name) ?? {};
  return words.parse(JSON.parse(rest.slice(rest.indexOf('['))));
}

test('the Dockerfile has valid instructions, and starts from a Node.js that svc supports', () => {
  for (const { name } of instructions()) assert.match(name, KNOWN);
  const bases = instructions().filter(({ name }) => name === 'FROM');
  assert.is(bases.length, 2);
  for (const { rest } of bases) assert.match(rest, /^node:(?:2[0-9])-/);
});

test('what the container runs is a command of svc, and its health check is a program', () => {
  assert.is(faultOf(wordsOfInstruction('CMD')), undefined);
  // Node.js as process 1 reaps no orphans, and misses a signal before svc listens.
  const [first = '', ...separator] = wordsOfInstruction('ENTRYPOINT');
  assert.equal([first, ...separator], ['tini', '--']);
  const installs = instructions().filter(({ name }) => name === 'RUN');
  assert.ok(installs.some(({ rest }) => rest.split(' ').includes(first)));
  const [program, script = ''] = wordsOfInstruction('HEALTHCHECK');
  assert.is(program, 'node');
  const copied = instructions().filter(({ name }) => name === 'COPY');
  assert.ok(copied.some(({ rest }) => rest === `docs/samples/healthcheck.mjs ${script}`));
  const port = String(CONFIG_DEFAULTS.gateway.port);
  assert.ok(instructions().some(({ name, rest }) => name === 'EXPOSE' && rest === port));
});

test('the files that it copies and builds exist', () => {
  const run = instructions().find(({ name }) => name === 'RUN')?.rest ?? '';
  for (const command of run.split(' && ')) assert.is(faultOf(command.split(' ')), undefined);
  assert.ok(isThere('package-lock.json'), 'npm ci needs it');
});

const composeSchema = z.strictObject({
  services: z.strictObject({
    svc: z.strictObject({
      build: z.strictObject({ context: z.string(), dockerfile: z.string() }),
      command: words,
      restart: z.string(),
      stop_grace_period: z.string(),
      volumes: words,
      environment: z.record(z.string(), z.string()),
    }),
  }),
  volumes: z.record(z.string(), z.nullable(z.object({}))),
});

test('the compose file builds that image, runs a command of svc, and waits for its drain', () => {
  const load = defaultLoadersSync['.yaml'];
  const { services, volumes } = composeSchema.parse(
    load('compose.yaml', readSample('compose.yaml')),
  );
  const { svc } = services;
  assert.ok(isThere(join('docs/samples', svc.build.context, svc.build.dockerfile)));
  assert.is(faultOf(svc.command), undefined);
  assert.equal(svc.command, wordsOfInstruction('CMD'));
  assert.ok(Number.parseInt(svc.stop_grace_period, 10) > CONFIG_DEFAULTS.gateway.drainSeconds);
  const named = svc.volumes.map((volume) => volume.split(':')[0] ?? '');
  for (const name of named.filter((one) => !one.startsWith('.'))) assert.ok(name in volumes, name);
});

const teamService = z.object({
  build: z.object({ context: z.string(), dockerfile: z.string() }),
  command: words,
  stop_grace_period: z.string(),
  environment: z.record(z.string(), z.string()),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })),
});

const teamsSchema = z.object({
  services: z.object({
    postgres: z.object({ image: z.string(), volumes: words }),
    migrate: teamService,
    'listener-1': teamService,
    'listener-2': teamService,
    'worker-1': teamService,
    'worker-2': teamService,
  }),
  configs: z.object({ svc: z.object({ content: z.string() }) }),
  volumes: z.record(z.string(), z.nullable(z.object({}))),
});

const teamConfigSchema = z.object({
  flows: z.object({ runtimes: z.object({ subagent: z.object({ cwd: z.string() }) }) }),
});

test('the compose file of a team runs commands of svc on a supported server, after its migration', () => {
  const load = defaultLoadersSync['.yaml'];
  const file = 'teams.compose.yaml';
  const { services, configs, volumes } = teamsSchema.parse(load(file, readSample(file)));
  const { postgres, ...others } = services;
  assert.ok(Number(/^postgres:(\d+)$/.exec(postgres.image)?.[1]) >= OLDEST_SERVER);
  assert.ok((postgres.volumes[0]?.split(':')[0] ?? '') in volumes);
  for (const [service, { build, command, depends_on: after, ...rest }] of Object.entries(others)) {
    assert.ok(isThere(join('docs/samples', build.context, build.dockerfile)));
    assert.is(faultOf(command), undefined, service);
    assert.ok(Number.parseInt(rest.stop_grace_period, 10) > CONFIG_DEFAULTS.gateway.drainSeconds);
    assert.ok((service === 'migrate' ? 'postgres' : 'migrate') in after);
    assert.match(rest.environment['SVC_DATABASE_URL'] ?? '', /^postgres:\/\//);
  }
  const { faults } = checkConfigText('svc.json', configs.svc.content);
  assert.equal(faults, []);
  const { flows } = teamConfigSchema.parse(JSON.parse(configs.svc.content));
  const { rest: folder } = instructions().findLast(({ name }) => name === 'WORKDIR') ?? {};
  assert.is(flows.runtimes.subagent.cwd, folder, 'tasks run in a folder of the image');
});

test.run();
