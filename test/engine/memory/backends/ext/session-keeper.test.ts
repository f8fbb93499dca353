import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  keepSession,
  type Session,
} from '../../../../../src/engine/memory/backends/ext/session-keeper.js';
import {
  type Tool,
  ToolFailure,
} from '../../../../../src/engine/memory/backends/ext/tool/open-tool.js';
import type { ToolHit } from '../../../../../src/engine/memory/backends/ext/tool/read-answer.js';

const test = suite('keeping the external program running');

const QUESTION = { mode: 'search', query: 'tea', collections: ['notes'], limit: 3 } as const;
const RUN = { timeoutMs: 1000 };
const ANSWER: readonly ToolHit[] = [];
const toolOf = (key: string): Tool => ({ program: '/bin/false', env: {}, cwd: '/', key });

/** Sessions with scripted answers, and how they ended. */
function sessions(answer: Session['ask'] = async () => ANSWER) {
  const log: string[] = [];
  const keeper = keepSession(async ({ key }) => {
    log.push(`open ${key}`);
    return { ask: answer, close: async () => void log.push(`close ${key}`) };
  });
  return { keeper, log };
}

const failure = (code: 'BACKEND_FAILED' | 'BACKEND_TIMEOUT') =>
  new ToolFailure(code, 'broke', 'hint');

test('concurrent queries share one program', async () => {
  const { keeper, log } = sessions();
  const ask = () => keeper.ask(toolOf('a'), QUESTION, RUN);
  assert.equal(await Promise.all([ask(), ask(), ask()]), [ANSWER, ANSWER, ANSWER]);
  await keeper.close();
  assert.equal(log, ['open a', 'close a']);
});

test('another release starts another program', async () => {
  const { keeper, log } = sessions();
  await keeper.ask(toolOf('a'), QUESTION, RUN);
  await keeper.ask(toolOf('b'), QUESTION, RUN);
  await keeper.close();
  assert.equal(log, ['open a', 'open b', 'close a', 'close b']);
});

test('if the program died, it is run once instead, and the next query restarts it', async () => {
  let isBroken = true;
  const { keeper, log } = sessions(async () => {
    if (isBroken) throw failure('BACKEND_FAILED');
    return ANSWER;
  });
  assert.is(await keeper.ask(toolOf('a'), QUESTION, RUN), undefined);
  isBroken = false;
  assert.equal(await keeper.ask(toolOf('a'), QUESTION, RUN), ANSWER);
  assert.equal(log, ['open a', 'close a', 'open a']);
});

test('a program that keeps dying is not restarted for every query', async () => {
  const { keeper, log } = sessions(async () => {
    throw failure('BACKEND_FAILED');
  });
  for (let asked = 0; asked < 6; asked++) await keeper.ask(toolOf('a'), QUESTION, RUN);
  assert.is(log.filter((line) => line === 'open a').length, 3);
  // A new release has its own chances.
  await keeper.ask(toolOf('b'), QUESTION, RUN);
  assert.ok(log.includes('open b'));
});

test('a program that takes too long is abandoned and reported', async () => {
  const { keeper, log } = sessions(async () => {
    throw failure('BACKEND_TIMEOUT');
  });
  const error = await keeper.ask(toolOf('a'), QUESTION, RUN).catch((reason: unknown) => reason);
  assert.ok(error instanceof ToolFailure && error.code === 'BACKEND_TIMEOUT');
  assert.equal(log, ['open a', 'close a']);
});

test('an aborted query leaves the program running for the others', async () => {
  const gone = new AbortController();
  const { keeper, log } = sessions(async (_, { signal }) => {
    if (signal === undefined) return ANSWER;
    gone.abort('typed on');
    throw failure('BACKEND_FAILED');
  });
  const run = { ...RUN, signal: gone.signal };
  assert.is(
    await keeper.ask(toolOf('a'), QUESTION, run).catch((reason: unknown) => reason),
    'typed on',
  );
  assert.equal(await keeper.ask(toolOf('a'), QUESTION, RUN), ANSWER);
  assert.equal(log, ['open a']);
});

test('queries that fail together end the program once, and not its successor', async () => {
  let asked = 0;
  const { keeper, log } = sessions(async () => {
    asked += 1;
    if (asked > 2) return ANSWER;
    throw failure('BACKEND_FAILED');
  });
  const both = [1, 2].map(() => keeper.ask(toolOf('a'), QUESTION, RUN));
  assert.equal(await Promise.all(both), [undefined, undefined]);
  assert.equal(await keeper.ask(toolOf('a'), QUESTION, RUN), ANSWER);
  assert.equal(
    log.filter((line) => line.startsWith('open')),
    ['open a', 'open a'],
  );
});

test('a query that fails late does not end a program started since', async () => {
  const ends: ((error: Error) => void)[] = [];
  const { keeper, log } = sessions(
    () =>
      new Promise((resolve, reject) => {
        ends.push(reject);
        if (ends.length > 2) resolve(ANSWER);
      }),
  );
  const ask = () => keeper.ask(toolOf('a'), QUESTION, RUN);
  const [first, late] = [ask(), ask()];
  await new Promise((resolve) => setImmediate(resolve));
  ends[0]?.(failure('BACKEND_FAILED'));
  assert.is(await first, undefined);
  assert.equal(await ask(), ANSWER);
  ends[1]?.(failure('BACKEND_FAILED'));
  assert.is(await late, undefined);
  assert.equal(await ask(), ANSWER);
  assert.is(log.filter((line) => line.startsWith('open')).length, 2);
});

test('queries of a killed hanging program are not sent to another one', async () => {
  let end: (error: Error) => void = () => undefined;
  let asked = 0;
  const { keeper } = sessions(() => {
    asked += 1;
    if (asked === 1) return Promise.reject(failure('BACKEND_TIMEOUT'));
    return new Promise((_, reject) => {
      end = reject;
    });
  });
  const codeOf = (error: unknown): unknown => error instanceof ToolFailure && error.code;
  const both = [1, 2].map(() => keeper.ask(toolOf('a'), QUESTION, RUN).catch(codeOf));
  assert.is(await both[0], 'BACKEND_TIMEOUT');
  end(failure('BACKEND_FAILED'));
  assert.is(await both[1], 'BACKEND_TIMEOUT');
});

test('once closed it starts nothing', async () => {
  const { keeper, log } = sessions();
  await keeper.close();
  assert.is(await keeper.ask(toolOf('a'), QUESTION, RUN), undefined);
  assert.equal(log, []);
});

test.run();
